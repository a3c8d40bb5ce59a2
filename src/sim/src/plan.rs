//! What a planning function answers: the writes of one step, and when to look again.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

use crate::object::{Key, Kind, Name, Object, name, uid};
use crate::time::earliest;

/// One write to the member's API server.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Create the object.
    Create(Object),
    /// Apply a JSON merge patch.
    Patch {
        /// What to patch.
        key: Key,
        /// The patch; `metadata.uid` guards against a namesake.
        patch: Value,
    },
    /// Replace the status, whatever the resource version: each status has one writer.
    Status(Object),
    /// Delete the object of this uid.
    Delete {
        /// What to delete.
        key: Key,
        /// The precondition.
        uid: String,
        /// Grace in seconds; the object's own default without it.
        grace: Option<u32>,
    },
    /// Assign a pod to a node.
    Bind {
        /// The pod.
        pod: Name,
        /// Its uid.
        uid: String,
        /// The node.
        node: String,
    },
    /// Record an event.
    Event(Note),
}

/// An event before it has a name and a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// What it is about.
    pub about: ObjectReference,
    /// Whether it is a warning.
    pub warning: bool,
    /// Machine-readable reason.
    pub reason: &'static str,
    /// Text for people.
    pub message: String,
    /// Who reports it: `kubelet`, `default-scheduler`, …
    pub component: &'static str,
    /// The node it happened on, for the kubelet's events.
    pub host: Option<String>,
}

impl Note {
    /// A normal event.
    pub fn normal(
        component: &'static str,
        about: ObjectReference,
        reason: &'static str,
        message: String,
    ) -> Self {
        Self {
            about,
            warning: false,
            reason,
            message,
            component,
            host: None,
        }
    }

    /// A warning.
    pub fn warning(
        component: &'static str,
        about: ObjectReference,
        reason: &'static str,
        message: String,
    ) -> Self {
        Self {
            warning: true,
            ..Self::normal(component, about, reason, message)
        }
    }

    /// The same event, reported from `node`.
    pub fn on(mut self, node: &str) -> Self {
        self.host = Some(node.to_owned());
        self
    }
}

/// The writes of one step, in order, and the next instant worth looking at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What to write.
    pub actions: Vec<Action>,
    /// When to plan again even if nothing changes.
    pub again: Option<Timestamp>,
}

impl Plan {
    /// Nothing to do, ever, until something changes.
    pub fn idle() -> Self {
        Self::default()
    }

    /// Adds one write.
    pub fn push(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// Adds an event.
    pub fn note(&mut self, note: Note) {
        self.actions.push(Action::Event(note));
    }

    /// Asks to be planned again at `instant`, or earlier if that was asked before.
    pub fn wake(&mut self, instant: Timestamp) {
        self.again = earliest(self.again, Some(instant));
    }
}

/// The key of an object whose kind is known.
pub(crate) fn key(kind: Kind, metadata: &ObjectMeta) -> Key {
    Key::new(kind, Name::of(metadata))
}

/// A deletion guarded by uid.
pub(crate) fn delete(kind: Kind, metadata: &ObjectMeta, grace: Option<u32>) -> Action {
    Action::Delete {
        key: key(kind, metadata),
        uid: uid(metadata).to_owned(),
        grace,
    }
}

/// What an event refers to.
pub(crate) fn reference(api_version: &str, kind: &str, metadata: &ObjectMeta) -> ObjectReference {
    ObjectReference {
        api_version: Some(api_version.to_owned()),
        kind: Some(kind.to_owned()),
        name: Some(name(metadata).to_owned()),
        namespace: metadata.namespace.clone(),
        uid: metadata.uid.clone(),
        resource_version: metadata.resource_version.clone(),
        field_path: None,
    }
}
