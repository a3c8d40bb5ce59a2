//! Events as the API carries them.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, EventSource};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::plan::Note;
use crate::seed::Seed;
use crate::time::time;

/// The event object of a note; `number` tells notes of one instant apart.
///
/// Source: names are `<object>.<hexadecimal>`, events about cluster-scoped objects live in `default`.
pub fn event(note: &Note, now: Timestamp, seed: Seed, number: u64) -> Event {
    let name = note.about.name.as_deref().unwrap_or_default();
    let uid = note.about.uid.as_deref().unwrap_or_default();
    let words = ["event", uid, note.reason, &note.message];
    let suffix = seed.of(&words).at(number).hex(16);
    Event {
        metadata: ObjectMeta {
            name: Some(format!("{name}.{suffix}")),
            namespace: note
                .about
                .namespace
                .clone()
                .or_else(|| Some("default".to_owned())),
            ..ObjectMeta::default()
        },
        involved_object: note.about.clone(),
        type_: Some(if note.warning { "Warning" } else { "Normal" }.to_owned()),
        reason: Some(note.reason.to_owned()),
        message: Some(note.message.clone()),
        source: Some(EventSource {
            component: Some(note.component.to_owned()),
            host: note.host.clone(),
        }),
        reporting_component: Some(note.component.to_owned()),
        reporting_instance: Some(note.host.clone().unwrap_or_default()),
        first_timestamp: Some(time(now)),
        last_timestamp: Some(time(now)),
        count: Some(1),
        ..Event::default()
    }
}
