//! Answers recorded from a real API server, replayed against the schemas.
//!
//! `VECTORS_DIR` names the folder that holds `api/` with the full set; without it a trimmed copy
//! in the repository is used.

#[cfg(test)]
mod bodies;
#[cfg(test)]
mod catalog;
#[cfg(test)]
mod custom;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod records;
#[cfg(test)]
mod yaml;
