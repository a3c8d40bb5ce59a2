//! Answers recorded from a real API server, replayed against the pure parts of ours.
//!
//! `VECTORS_DIR` names the folder that holds `api/` with the full set; without it a trimmed copy
//! in the repository is used.

#[cfg(test)]
mod defaults;
#[cfg(test)]
mod printers;
#[cfg(test)]
mod records;
#[cfg(test)]
mod validation;
