//! Server-side printing: objects to table rows, one printer a resource.
//!
//! Pure: the present instant is an argument. Printers always give the wide cells; clients hide
//! columns by priority.

mod admission;
mod batch;
mod cell;
mod certificates;
mod clusters;
mod config;
pub mod custom;
mod events;
mod generic;
mod networking;
mod nodes;
mod pods;
mod policy;
mod rbac;
mod scaling;
mod services;
mod storage;
mod workloads;

use flybridge_machinery::table::{ColumnDefinition, Row};
use jiff::Timestamp;
use serde_json::Value;

pub use custom::CustomPrinter;

/// One column of a built-in printer.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    name: &'static str,
    kind: &'static str,
    format: &'static str,
    priority: i64,
}

const NAME: Column = Column {
    name: "Name",
    kind: "string",
    format: "name",
    priority: 0,
};
const AGE: Column = text("Age");

const fn text(name: &'static str) -> Column {
    Column {
        name,
        kind: "string",
        format: "",
        priority: 0,
    }
}

const fn wide(name: &'static str) -> Column {
    Column {
        name,
        kind: "string",
        format: "",
        priority: 1,
    }
}

const fn integer(name: &'static str) -> Column {
    Column {
        name,
        kind: "integer",
        format: "",
        priority: 0,
    }
}

const fn boolean(name: &'static str) -> Column {
    Column {
        name,
        kind: "boolean",
        format: "",
        priority: 0,
    }
}

const fn date(name: &'static str) -> Column {
    Column {
        name,
        kind: "date",
        format: "",
        priority: 0,
    }
}

/// Renders objects of one resource.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    columns: &'static [Column],
    cells: fn(&Value, Timestamp) -> Vec<Value>,
    conditions: fn(&Value) -> Vec<Value>,
}

fn no_conditions(_object: &Value) -> Vec<Value> {
    Vec::new()
}

impl Printer {
    const fn new(columns: &'static [Column], cells: fn(&Value, Timestamp) -> Vec<Value>) -> Self {
        Self {
            columns,
            cells,
            conditions: no_conditions,
        }
    }

    /// The columns, always shown ones and wide ones.
    pub fn columns(&self) -> Vec<ColumnDefinition> {
        self.columns
            .iter()
            .map(|column| ColumnDefinition {
                name: column.name.to_owned(),
                kind: column.kind.to_owned(),
                format: column.format.to_owned(),
                description: String::new(),
                priority: column.priority,
            })
            .collect()
    }

    /// The cells of one object, in the order of the columns.
    pub fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        (self.cells)(object, now)
    }

    /// The row markers of one object.
    pub fn conditions(&self, object: &Value) -> Vec<Value> {
        (self.conditions)(object)
    }

    /// The whole row; `embedded` is what goes beside the cells.
    pub fn row(&self, object: &Value, embedded: Value, now: Timestamp) -> Row {
        Row {
            cells: self.cells(object, now),
            conditions: self.conditions(object),
            object: embedded,
        }
    }
}

/// The printer of a built-in resource; resources without their own print name and creation time.
pub fn printer(group: &str, resource: &str) -> &'static Printer {
    match (group, resource) {
        ("", "pods") => &pods::PODS,
        ("", "podtemplates") => &pods::POD_TEMPLATES,
        ("", "nodes") => &nodes::NODES,
        ("", "services") => &services::SERVICES,
        ("", "endpoints") => &services::ENDPOINTS,
        ("discovery.k8s.io", "endpointslices") => &services::ENDPOINT_SLICES,
        ("", "replicationcontrollers") => &workloads::REPLICATION_CONTROLLERS,
        ("apps", "deployments") => &workloads::DEPLOYMENTS,
        ("apps", "replicasets") => &workloads::REPLICA_SETS,
        ("apps", "statefulsets") => &workloads::STATEFUL_SETS,
        ("apps", "daemonsets") => &workloads::DAEMON_SETS,
        ("apps", "controllerrevisions") => &workloads::CONTROLLER_REVISIONS,
        ("batch", "jobs") => &batch::JOBS,
        ("batch", "cronjobs") => &batch::CRON_JOBS,
        ("", "namespaces") => &config::NAMESPACES,
        ("", "secrets") => &config::SECRETS,
        ("", "configmaps") => &config::CONFIG_MAPS,
        ("", "serviceaccounts") => &config::SERVICE_ACCOUNTS,
        ("", "resourcequotas") => &config::RESOURCE_QUOTAS,
        ("", "events") | ("events.k8s.io", "events") => &events::EVENTS,
        ("", "persistentvolumes") => &storage::PERSISTENT_VOLUMES,
        ("", "persistentvolumeclaims") => &storage::PERSISTENT_VOLUME_CLAIMS,
        ("storage.k8s.io", _) => storage::storage_group(resource),
        ("rbac.authorization.k8s.io", "rolebindings" | "clusterrolebindings") => &rbac::BINDINGS,
        ("coordination.k8s.io", "leases") => &policy::LEASES,
        ("policy", "poddisruptionbudgets") => &policy::POD_DISRUPTION_BUDGETS,
        ("scheduling.k8s.io", "priorityclasses") => &policy::PRIORITY_CLASSES,
        ("node.k8s.io", "runtimeclasses") => &policy::RUNTIME_CLASSES,
        ("autoscaling", "horizontalpodautoscalers") => &scaling::AUTOSCALERS,
        ("networking.k8s.io", _) => networking::networking_group(resource),
        ("admissionregistration.k8s.io", _) => admission::admission_group(resource),
        ("flowcontrol.apiserver.k8s.io", "flowschemas") => &admission::FLOW_SCHEMAS,
        ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations") => {
            &admission::PRIORITY_LEVELS
        }
        ("certificates.k8s.io", "certificatesigningrequests") => &certificates::REQUESTS,
        ("apiregistration.k8s.io", "apiservices") => &certificates::API_SERVICES,
        ("cluster.karmada.io", "clusters") => &clusters::CLUSTERS,
        _ => &generic::CREATED_AT,
    }
}
