//! The `apps` group and replication controllers.

use flybridge_machinery::Selector;
use flybridge_machinery::object::{self, get_path};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, integer, text, wide};

pub(super) const DEPLOYMENTS: Printer = Printer::new(
    &[
        NAME,
        text("Ready"),
        text("Up-to-date"),
        text("Available"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    deployment,
);

pub(super) const REPLICA_SETS: Printer = Printer::new(
    &[
        NAME,
        integer("Desired"),
        integer("Current"),
        integer("Ready"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    replica_set,
);

pub(super) const REPLICATION_CONTROLLERS: Printer =
    Printer::new(REPLICA_SETS.columns, replication_controller);

pub(super) const STATEFUL_SETS: Printer = Printer::new(
    &[NAME, text("Ready"), AGE, wide("Containers"), wide("Images")],
    stateful_set,
);

pub(super) const DAEMON_SETS: Printer = Printer::new(
    &[
        NAME,
        integer("Desired"),
        integer("Current"),
        integer("Ready"),
        integer("Up-to-date"),
        integer("Available"),
        text("Node Selector"),
        AGE,
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    daemon_set,
);

pub(super) const CONTROLLER_REVISIONS: Printer = Printer::new(
    &[NAME, text("Controller"), text("Revision"), AGE],
    controller_revision,
);

fn status(object: &Value, field: &str) -> i64 {
    cell::number(object, &["status", field])
}

fn replicas(object: &Value) -> i64 {
    cell::number(object, &["spec", "replicas"])
}

fn containers(object: &Value) -> [Value; 2] {
    cell::containers(get_path(object, &["spec", "template", "spec"]))
}

fn selector(object: &Value) -> Value {
    cell::selector(get_path(object, &["spec", "selector"]))
}

fn deployment(deployment: &Value, now: Timestamp) -> Vec<Value> {
    let ready = status(deployment, "readyReplicas");
    let mut cells = vec![
        cell::name(deployment),
        format!("{ready}/{}", replicas(deployment)).into(),
        status(deployment, "updatedReplicas").into(),
        status(deployment, "availableReplicas").into(),
        cell::age(deployment, now),
    ];
    cells.extend(containers(deployment));
    let selector = get_path(deployment, &["spec", "selector"]).unwrap_or(&Value::Null);
    let selector = Selector::from_value(selector).map(|selector| selector.to_string());
    cells.push(selector.unwrap_or_default().into());
    cells
}

fn replicated(object: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = vec![
        cell::name(object),
        replicas(object).into(),
        status(object, "replicas").into(),
        status(object, "readyReplicas").into(),
        cell::age(object, now),
    ];
    cells.extend(containers(object));
    cells
}

fn replica_set(replica_set: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = replicated(replica_set, now);
    cells.push(selector(replica_set));
    cells
}

fn replication_controller(controller: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = replicated(controller, now);
    cells.push(cell::labels(get_path(controller, &["spec", "selector"])));
    cells
}

fn stateful_set(set: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = vec![
        cell::name(set),
        format!("{}/{}", status(set, "readyReplicas"), replicas(set)).into(),
        cell::age(set, now),
    ];
    cells.extend(containers(set));
    cells
}

fn daemon_set(set: &Value, now: Timestamp) -> Vec<Value> {
    let mut cells = vec![
        cell::name(set),
        status(set, "desiredNumberScheduled").into(),
        status(set, "currentNumberScheduled").into(),
        status(set, "numberReady").into(),
        status(set, "updatedNumberScheduled").into(),
        status(set, "numberAvailable").into(),
        cell::labels(get_path(set, &["spec", "template", "spec", "nodeSelector"])),
        cell::age(set, now),
    ];
    cells.extend(containers(set));
    cells.push(selector(set));
    cells
}

fn controller_revision(revision: &Value, now: Timestamp) -> Vec<Value> {
    let owner = object::controller(revision).map_or_else(
        || "<none>".to_owned(),
        |owner| {
            let group = owner
                .api_version
                .split_once('/')
                .map_or("", |(group, _)| group);
            let kind = flybridge_machinery::gvk::qualified(&owner.kind, group).to_lowercase();
            format!("{kind}/{}", owner.name)
        },
    );
    vec![
        cell::name(revision),
        owner.into(),
        cell::number(revision, &["revision"]).into(),
        cell::age(revision, now),
    ]
}
