//! JSON Patch, merge patch and strategic merge patch over [`serde_json::Value`].
//!
//! Pure. Each function behaves as the upstream API server does with a patch body of its media
//! type, up to and including its quirks where clients can see them.

pub mod error;
pub mod json_patch;
pub mod merge_patch;
pub mod strategic;

pub use error::Error;
pub use json_patch::{MAX_OPERATIONS, json_patch};
pub use merge_patch::merge_patch;
pub use strategic::strategic_merge;
