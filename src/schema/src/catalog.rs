//! The built-in kinds: their types, their endpoints, their texts and their wire messages.
//!
//! Types come from a compressed asset, endpoints from the hand-written table. Each part is
//! decoded on first use; texts and messages apart, because most processes never ask for them.

mod messages;
mod resource;
mod table;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use flybridge_machinery::{Gvk, Gvr};

pub(crate) use messages::{FieldKind, MessageField, Messages};
pub use resource::{FieldSelectorPath, Propagation, ResourceInfo, SubresourceInfo};

use crate::graph::{Graph, NodeId};
use crate::{Node, Schema};

const TYPES: &[u8] = include_bytes!("../../../assets/schema/builtin-1.36.json.zst");
const TEXTS: &[u8] = include_bytes!("../../../assets/schema/descriptions-1.36.json.zst");

type Texts = BTreeMap<Box<str>, BTreeMap<Box<str>, Box<str>>>;

/// Everything known of the built-in kinds.
#[derive(Debug)]
pub struct Catalog {
    graph: Graph,
    kinds: BTreeMap<Gvk, NodeId>,
    resources: Vec<ResourceInfo>,
}

/// Reads an embedded asset.
pub(crate) fn read_asset<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> T {
    let text = zstd::decode_all(bytes).expect("an embedded asset is zstd");
    serde_json::from_slice(&text).expect("an embedded asset has the shape of its generator")
}

impl Catalog {
    /// The built-in catalog, decoded on first use.
    pub fn builtin() -> &'static Self {
        static CATALOG: OnceLock<Catalog> = OnceLock::new();
        CATALOG.get_or_init(|| {
            let graph = Graph::from_definitions(read_asset(TYPES))
                .expect("references of the embedded asset name its definitions");
            let mut kinds = BTreeMap::new();
            for id in graph.definitions.values() {
                for gvk in &graph.nodes[*id as usize].gvks {
                    kinds.insert(gvk.clone(), *id);
                }
            }
            Self {
                graph,
                kinds,
                resources: table::resources(),
            }
        })
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The endpoints of the built-in kinds, core first, then by group.
    pub fn resources(&self) -> &[ResourceInfo] {
        &self.resources
    }

    /// The endpoint of a resource.
    pub fn resource(&self, gvr: &Gvr) -> Option<&ResourceInfo> {
        self.resources.iter().find(|info| {
            info.resource == gvr.resource && info.group == gvr.group && info.version == gvr.version
        })
    }

    /// The endpoint that serves a kind.
    pub fn resource_of_kind(&self, gvk: &Gvk) -> Option<&ResourceInfo> {
        self.resources.iter().find(|info| {
            info.kind == gvk.kind && info.group == gvk.group && info.version == gvk.version
        })
    }

    /// The type of a built-in kind; also of the bodies that are no resources, such as
    /// `DeleteOptions` and `Scale`.
    pub fn schema_for(&'static self, gvk: &Gvk) -> Option<Schema> {
        let id = self.kinds.get(gvk)?;
        Some(Schema::fixed(&self.graph, *id))
    }

    /// The type of a definition, such as `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`.
    pub fn definition(&'static self, name: &str) -> Option<Schema> {
        let id = self.graph.definitions.get(name)?;
        Some(Schema::fixed(&self.graph, *id))
    }

    /// The definitions in the order of their names.
    pub fn definitions(&self) -> impl Iterator<Item = (&str, Node<'_>)> {
        self.graph
            .definitions
            .iter()
            .map(|(name, id)| (name.as_ref(), Node::new(&self.graph, *id)))
    }

    pub(crate) fn definition_id(&self, name: &str) -> Option<NodeId> {
        self.graph.definitions.get(name).copied()
    }

    pub(crate) fn definition_of_kind(&self, gvk: &Gvk) -> Option<&str> {
        let id = self.kinds.get(gvk)?;
        self.graph.names.get(id).map(AsRef::as_ref)
    }

    /// The text of a definition, or of one of its fields; an empty field is the definition.
    pub fn description(&self, definition: &str, field: &str) -> Option<&'static str> {
        static TEXT: OnceLock<Texts> = OnceLock::new();
        TEXT.get_or_init(|| read_asset(TEXTS))
            .get(definition)?
            .get(field)
            .map(AsRef::as_ref)
    }

    pub(crate) fn messages(&self) -> &'static Messages {
        Messages::builtin()
    }
}
