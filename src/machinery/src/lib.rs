//! The Kubernetes object model over [`serde_json::Value`]: identity, metadata, selectors,
//! quantities, `Status`, JSONPath and table rows.
//!
//! Pure: no I/O, no clock, no global state. Objects stay JSON values; this crate gives names to
//! the parts of them that every Kubernetes component reads.

pub mod conditions;
pub mod error;
pub mod field_error;
pub mod fields;
pub mod gvk;
pub mod jsonpath;
pub mod labels;
pub mod names;
pub mod object;
pub mod quantity;
pub mod status;
pub mod table;
pub mod time;
pub mod topology;

pub use error::Error;
pub use field_error::{CauseType, FieldError};
pub use fields::FieldSelector;
pub use gvk::{GroupVersion, Gvk, Gvr};
pub use jsonpath::JsonPath;
pub use labels::Selector;
pub use quantity::Quantity;
pub use status::{Reason, Status, StatusCause, StatusDetails};
pub use table::{ColumnDefinition, Row, Table};
pub use topology::{FieldTopology, PatchStrategy, Topology};
