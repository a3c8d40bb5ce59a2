//! Everything the console remembers. Only `update` changes it; `render` reads it.

use std::collections::{BTreeMap, VecDeque};

use flybridge_ui::dialog::Dialog;
use flybridge_ui::picker::Picker;
use flybridge_ui::table::Sort;
use flybridge_ui::{Chord, Glyphs, Keymap, Mark, Record, TableModel, TextInput, Theme};
use jiff::Timestamp;

use crate::ExitReason;
use crate::action::Action;
use crate::catalog::Catalog;
use crate::event::WatchKey;
use crate::filter::Filter;
use crate::panes::Pane;
use crate::panes::explain::ExplainState;
use crate::panes::fleet::FleetState;
use crate::panes::logs::LogsState;
use crate::panes::yaml::YamlState;
use crate::rows::{BindingRow, ClusterRow, ListRow, PodRow, RowEnv, Rows, WorkRow, WorkloadRow};

/// What the console was started with.
#[derive(Clone, Debug, Default)]
pub(crate) struct About {
    /// Name of the context, as the operator knows it.
    pub(crate) context: String,
    /// What kind of plane it is.
    pub(crate) plane: String,
    pub(crate) read_only: bool,
    /// Whether the plane runs in this process, which must then not be suspended.
    pub(crate) in_process: bool,
}

/// How far a list has come.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum Phase {
    /// Nothing has arrived yet.
    #[default]
    Loading,
    /// It is up to date.
    Live,
    /// It is not, and why; rows may be there from before.
    Failed(String),
}

/// A list of rows with its filter.
#[derive(Debug)]
pub(crate) struct List<R> {
    pub(crate) table: TableModel<R>,
    pub(crate) filter: Filter,
    pub(crate) phase: Phase,
}

impl<R: ListRow> List<R> {
    fn new(column: &str) -> Self {
        let column = R::COLUMNS.iter().position(|c| c.id == column).unwrap_or(0);
        Self {
            table: TableModel::new(Sort {
                column,
                descending: false,
            }),
            filter: Filter::default(),
            phase: Phase::Loading,
        }
    }

    /// Ids of all columns.
    pub(crate) fn columns() -> Vec<&'static str> {
        <R as Record>::COLUMNS.iter().map(|c| c.id).collect()
    }
}

/// A list over all members: rows of each, and how far each has come.
#[derive(Debug)]
pub(crate) struct MemberList<R> {
    pub(crate) list: List<R>,
    pub(crate) members: BTreeMap<String, Member<R>>,
    /// When it was last wanted; its watches linger for a while after.
    pub(crate) wanted_at: Option<Timestamp>,
}

/// One member's part of a list.
#[derive(Debug)]
pub(crate) struct Member<R> {
    pub(crate) phase: Phase,
    pub(crate) rows: Rows<R>,
}

impl<R> Default for Member<R> {
    fn default() -> Self {
        Self {
            phase: Phase::Loading,
            rows: Rows::default(),
        }
    }
}

/// What is on top of the panes.
#[derive(Debug)]
pub(crate) enum Layer {
    /// The command palette.
    Palette(Picker),
    /// Choosing a namespace.
    Namespaces(Picker),
    /// Typing a filter; what it was before is kept for cancelling.
    Filter {
        input: TextInput,
        error: Option<String>,
        before: Filter,
    },
    /// The keys, scrolled.
    Help(usize),
    /// Past messages, scrolled.
    Messages(usize),
    /// A question and what to do on yes.
    Dialog(Dialog, Action),
}

/// A message that goes away by itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Toast {
    pub(crate) mark: Mark,
    pub(crate) text: String,
    pub(crate) at: Timestamp,
}

/// A pane on the stack and the filter its list had before.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) pane: Pane,
    pub(crate) restore: Option<Filter>,
}

/// Everything.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) about: About,
    pub(crate) catalog: Catalog,
    pub(crate) theme: Theme,
    pub(crate) glyphs: Glyphs,
    pub(crate) keymap: Keymap<Action>,
    pub(crate) size: (u16, u16),
    pub(crate) now: Timestamp,

    /// Panes from the root to the one shown; never empty.
    pub(crate) stack: Vec<View>,
    /// The root shown before the present one.
    pub(crate) last_root: Option<Pane>,
    pub(crate) namespace: Option<String>,
    pub(crate) attention: bool,
    /// Whether details are shown; nothing means where there is room.
    pub(crate) detail: Option<bool>,

    pub(crate) clusters: List<ClusterRow>,
    pub(crate) bindings: List<BindingRow>,
    pub(crate) works: List<WorkRow>,
    /// When the Works were last wanted.
    pub(crate) works_wanted_at: Option<Timestamp>,
    pub(crate) workloads: MemberList<WorkloadRow>,
    pub(crate) pods: MemberList<PodRow>,
    pub(crate) fleet: FleetState,
    pub(crate) explain: ExplainState,
    pub(crate) logs: LogsState,
    pub(crate) yaml: YamlState,

    pub(crate) layers: Vec<Layer>,
    /// Keys of a sequence that is not finished.
    pub(crate) keys: Vec<Chord>,
    pub(crate) toast: Option<Toast>,
    pub(crate) messages: VecDeque<Toast>,
    pub(crate) commands: Vec<String>,

    pub(crate) watches: BTreeMap<WatchKey, u64>,
    pub(crate) generation: u64,
    pub(crate) dirty: bool,
    pub(crate) exit: Option<ExitReason>,
}

/// Messages kept.
const MESSAGES: usize = 200;

impl State {
    /// The state of a console that has just been started.
    pub(crate) fn new(
        about: About,
        catalog: Catalog,
        (theme, keymap, glyphs): (Theme, Keymap<Action>, Glyphs),
        size: (u16, u16),
        now: Timestamp,
    ) -> Self {
        Self {
            about,
            catalog,
            theme,
            glyphs,
            keymap,
            size,
            now,
            stack: vec![View {
                pane: Pane::Fleet,
                restore: None,
            }],
            last_root: None,
            namespace: None,
            attention: false,
            detail: None,
            clusters: List::new("name"),
            bindings: List::new("namespace"),
            works: List::new("cluster"),
            works_wanted_at: None,
            workloads: MemberList {
                list: List::new("name"),
                members: BTreeMap::new(),
                wanted_at: None,
            },
            pods: MemberList {
                list: List::new("name"),
                members: BTreeMap::new(),
                wanted_at: None,
            },
            fleet: FleetState::default(),
            explain: ExplainState::default(),
            logs: LogsState::default(),
            yaml: YamlState::default(),
            layers: Vec::new(),
            keys: Vec::new(),
            toast: None,
            messages: VecDeque::new(),
            commands: Vec::new(),
            watches: BTreeMap::new(),
            generation: 0,
            dirty: true,
            exit: None,
        }
    }

    /// The pane shown.
    pub(crate) fn pane(&self) -> Pane {
        self.stack.last().map_or(Pane::Fleet, |view| view.pane)
    }

    /// The pane at the bottom of the stack.
    pub(crate) fn root(&self) -> Pane {
        self.stack.first().map_or(Pane::Fleet, |view| view.pane)
    }

    /// What cells depend on.
    pub(crate) fn env(&self) -> RowEnv {
        RowEnv {
            now: self.now,
            glyphs: self.glyphs,
            wide: self.size.0 >= 110,
        }
    }

    /// Keymap modes in force, the most specific first.
    pub(crate) fn modes(&self) -> Vec<&'static str> {
        match self.layers.last() {
            Some(Layer::Palette(_) | Layer::Namespaces(_)) => vec!["picker", "prompt"],
            Some(Layer::Filter { .. }) => vec!["prompt"],
            Some(Layer::Dialog(..)) => vec!["dialog"],
            Some(Layer::Help(_) | Layer::Messages(_)) => vec!["overlay", "global"],
            None => {
                let mut modes = self.pane().spec().modes.to_vec();
                modes.push("global");
                modes
            }
        }
    }

    /// A number no earlier request had.
    pub(crate) fn next_generation(&mut self) -> u64 {
        self.generation += 1;
        self.generation
    }

    /// Shows a message.
    pub(crate) fn say(&mut self, mark: Mark, text: impl Into<String>) {
        let toast = Toast {
            mark,
            text: text.into(),
            at: self.now,
        };
        self.messages.push_back(toast.clone());
        while self.messages.len() > MESSAGES {
            self.messages.pop_front();
        }
        self.toast = Some(toast);
    }

    /// The filter of the pane shown, if it has one.
    pub(crate) fn filter(&self) -> Option<&Filter> {
        match self.pane() {
            Pane::Clusters => Some(&self.clusters.filter),
            Pane::Bindings => Some(&self.bindings.filter),
            Pane::Workloads => Some(&self.workloads.list.filter),
            Pane::Pods => Some(&self.pods.list.filter),
            Pane::Works => Some(&self.works.filter),
            Pane::Logs => Some(&self.logs.filter),
            Pane::Fleet | Pane::Explain | Pane::Yaml => None,
        }
    }

    /// Names of the namespaces in the lists, sorted.
    pub(crate) fn namespaces(&self) -> Vec<String> {
        fn of<R: ListRow>(rows: &Rows<R>) -> impl Iterator<Item = &str> {
            rows.iter().map(|row| row.namespace())
        }
        let names: std::collections::BTreeSet<&str> = of(self.bindings.table.rows())
            .chain(of(self.workloads.list.table.rows()))
            .chain(of(self.pods.list.table.rows()))
            .filter(|name| !name.is_empty())
            .collect();
        names.into_iter().map(ToOwned::to_owned).collect()
    }
}
