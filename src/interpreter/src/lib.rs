//! What Karmada must know of a kind to spread it: its replicas, what to keep of a member's copy,
//! how to read and merge status, whether it is healthy, what it depends on; and the overriders.
//!
//! Pure functions from objects to values. Every operation is asked separately: a kind without a
//! rule for one operation may have rules for the others.

pub mod aggregate;
pub mod decode;
pub mod dependencies;
pub mod error;
pub mod health;
pub mod operation;
pub mod overrides;
pub mod pod_template;
pub mod reflect;
pub mod replicas;
pub mod retain;
pub mod retention;

pub use aggregate::aggregate_status;
pub use dependencies::dependencies;
pub use error::Error;
pub use health::interpret_health;
pub use operation::{Operation, hook_enabled};
pub use overrides::apply_overriders;
pub use reflect::reflect_status;
pub use replicas::{Replicas, get_replicas, revise_replica};
pub use retain::retain;
pub use retention::{merge_metadata, prepare_update};

/// The result of an interpretation.
pub type Result<T, E = Error> = std::result::Result<T, E>;
