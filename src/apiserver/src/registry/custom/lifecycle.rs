//! What the server does with CRD objects as they come, change and go: checks, conditions, names.

use flybridge_machinery::{FieldError, conditions, object};
use flybridge_store::{Error, Expect, Key, Op};
use serde_json::{Value, json};

use super::{BUCKET, CLEANUP_FINALIZER, rules, text, texts};
use crate::record;
use crate::registry::{Definition, Registry};
use crate::request::Answer;
use crate::rest::{Call, TRIES, store_failure};
use crate::server::ApiServer;

fn is_crd(call: &Call) -> bool {
    &*call.definition.bucket == BUCKET
}

/// What is wrong with a CRD; nothing with other objects.
pub(crate) fn violations(call: &Call, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    if !is_crd(call) {
        return Vec::new();
    }
    let mut errors = rules::violations(new);
    if let Some(old) = old {
        errors.extend(rules::change_violations(old, new));
    }
    errors
}

/// Notes the stored versions of a changed CRD; other objects are left alone.
pub(crate) fn prepare_update(call: &Call, new: &mut Value) {
    if !is_crd(call) {
        return;
    }
    let mut stored = texts(&new["status"]["storedVersions"]);
    for version in rules::storage_versions(new) {
        if !stored.contains(&version) {
            stored.push(version);
        }
    }
    if new["status"].is_object() {
        new["status"]["storedVersions"] = json!(stored);
    }
}

/// Holds a CRD that is being deleted until its objects are gone; other objects are left alone.
pub(crate) fn prepare_delete(call: &Call, new: &mut Value) {
    if !is_crd(call) || object::is_terminating(new) {
        return;
    }
    object::add_finalizer(new, CLEANUP_FINALIZER);
    let message =
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    let condition = conditions::new("Terminating", "True", "InstanceDeletionPending", message);
    conditions::set_on(new, condition, call.server.inner.clock.now());
}

/// Whether the CRD of a custom resource is on its way out.
pub(crate) fn is_terminating(call: &Call) -> bool {
    let name = format!("{}.{}", call.definition.plural, call.definition.group);
    let record = call.snapshot().get(BUCKET, &name);
    record.is_some_and(|record| record::Header::of(&record).deletion_timestamp.is_some())
}

/// Decides on the names of a CRD and serves it; nothing to do if that is done.
pub(crate) async fn establish(server: &ApiServer, name: &str) -> Answer<()> {
    for _ in 0..TRIES {
        let Some(found) = server.inner.store.snapshot().get(BUCKET, name) else {
            return Ok(());
        };
        let crd = record::decode(&found.value)?;
        let mut new = crd.clone();
        decide(server, &mut new);
        if new == crd {
            return Ok(());
        }
        let key = Key::new(BUCKET, name);
        let expect = Expect::Revision(found.mod_revision);
        let op = Op::Put {
            key,
            expect,
            value: record::encode(&new)?,
        };
        match server.inner.store.commit(vec![op]).await {
            Ok(_) => return Ok(()),
            Err(Error::Conflict { .. }) => {}
            Err(error) => return Err(store_failure(&error)),
        }
    }
    Ok(())
}

/// Sets acceptedNames and the conditions NamesAccepted and Established.
fn decide(server: &ApiServer, crd: &mut Value) {
    let registry = server.registry();
    let mut accepted = crd["spec"]["names"].clone();
    let mut conflict = None;
    for (field, reason) in [
        ("plural", "PluralConflict"),
        ("singular", "SingularConflict"),
        ("kind", "KindConflict"),
        ("listKind", "ListKindConflict"),
    ] {
        let name = text(&accepted[field]);
        if is_taken(&registry, crd, field, &name) {
            accepted[field] = json!(text(&crd["status"]["acceptedNames"][field]));
            conflict = Some((reason, format!("{name:?} is already in use")));
        }
    }
    let short_names = texts(&accepted["shortNames"]);
    if let Some(taken) = short_names
        .iter()
        .find(|name| is_taken(&registry, crd, "shortNames", name))
    {
        conflict = Some(("ShortNamesConflict", format!("{taken:?} is already in use")));
        accepted["shortNames"] = crd["status"]["acceptedNames"]["shortNames"].clone();
    }
    if accepted["shortNames"].is_null() {
        object::remove_path(&mut accepted, &["shortNames"]);
    }
    let now = server.inner.clock.now();
    crd["status"]["acceptedNames"] = accepted;
    let names = match &conflict {
        None => conditions::new("NamesAccepted", "True", "NoConflicts", "no conflicts found"),
        Some((reason, message)) => conditions::new("NamesAccepted", "False", reason, message),
    };
    conditions::set_on(crd, names, now);
    if conflict.is_none() {
        let message = "the initial names have been accepted";
        let condition = conditions::new("Established", "True", "InitialNamesAccepted", message);
        conditions::set_on(crd, condition, now);
    } else if !conditions::is_true(crd, "Established") {
        let message = "not all names are accepted";
        conditions::set_on(
            crd,
            conditions::new("Established", "False", "NotAccepted", message),
            now,
        );
    }
}

/// Whether another resource of the group has a name.
fn is_taken(registry: &Registry, crd: &Value, field: &str, name: &str) -> bool {
    let (group, plural) = (
        text(&crd["spec"]["group"]),
        text(&crd["spec"]["names"]["plural"]),
    );
    let uses = |definition: &Definition| match field {
        "kind" | "listKind" => definition.kind == name || definition.list_kind == name,
        _ => {
            definition.plural == name
                || definition.singular == name
                || definition.short_names.iter().any(|short| short == name)
        }
    };
    let others = registry
        .all()
        .filter(|other| other.group == group && other.plural != plural);
    others.into_iter().any(|other| uses(other))
}
