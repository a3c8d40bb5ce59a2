//! Strategic merge patches as upstream's library merged them, replayed against ours.
//!
//! `VECTORS_DIR` names the folder that holds `api/` with the full set; without it a trimmed copy
//! in the repository is used.

#[cfg(test)]
mod strategic;
