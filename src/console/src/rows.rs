//! Rows: what lists keep of an object, a few hundred bytes each, made where the object arrives.
//!
//! All text in rows is clean. Lists never keep whole objects.

pub(crate) mod binding;
pub(crate) mod cluster;
pub(crate) mod pod;
pub(crate) mod work;
pub(crate) mod workload;

use std::sync::Arc;

use flybridge_machinery::time::human_duration;
use flybridge_ui::gauge;
use flybridge_ui::{Cell, Glyphs, Mark, Record, Role};
use jiff::Timestamp;

pub(crate) use binding::{BindingRow, Target};
pub(crate) use cluster::{ClusterRow, ConditionRow, Usage};
pub(crate) use pod::PodRow;
pub(crate) use work::WorkRow;
pub(crate) use workload::WorkloadRow;

/// Rows of one list at one moment.
pub(crate) type Rows<R> = Arc<Vec<Arc<R>>>;

/// What cells depend on besides their row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowEnv {
    /// The present.
    pub(crate) now: Timestamp,
    /// Characters to draw with.
    pub(crate) glyphs: Glyphs,
    /// Whether there is room for bars.
    pub(crate) wide: bool,
}

/// What the console must know of a row besides how it is listed.
pub(crate) trait ListRow: Record<Env = RowEnv> {
    /// Its namespace; empty if it has none.
    fn namespace(&self) -> &str;
    /// Its name.
    fn name(&self) -> &str;
    /// Whether it has to do with a cluster whose name contains `text`.
    fn touches(&self, text: &str) -> bool;
    /// A column as a number, for comparisons in filters.
    fn number(&self, column: usize) -> Option<f64>;
    /// When it was created.
    fn created(&self) -> Option<Timestamp>;
    /// Its object, for looking at it whole.
    fn object(&self) -> ObjectRef;
    /// Words for `is:`.
    fn is(&self, word: &str) -> bool {
        match word {
            "attention" => matches!(self.mark(), Mark::Attention | Mark::Bad | Mark::Unknown),
            "bad" => self.mark() == Mark::Bad,
            "ok" => self.mark() == Mark::Ok,
            "moving" => self.mark() == Mark::Moving,
            _ => false,
        }
    }
}

/// Words `is:` understands.
pub(crate) const IS_WORDS: &[&str] = &["attention", "bad", "ok", "moving"];

/// One object in the control plane or in a member.
#[derive(Clone, Debug, Default, Eq, PartialEq, Ord, PartialOrd)]
pub(crate) struct ObjectRef {
    /// The member it is in; nothing means the control plane.
    pub(crate) cluster: Option<String>,
    /// API group; empty for the core group.
    pub(crate) group: String,
    /// API version.
    pub(crate) version: String,
    /// Kind.
    pub(crate) kind: String,
    /// Resource name in paths.
    pub(crate) plural: String,
    /// Namespace; empty for cluster-scoped objects.
    pub(crate) namespace: String,
    /// Name.
    pub(crate) name: String,
}

impl ObjectRef {
    /// `namespace/name`, or the name alone.
    pub(crate) fn path(&self) -> String {
        path(&self.namespace, &self.name)
    }
}

/// `namespace/name`, or the name alone.
pub(crate) fn path(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

/// A condition's status, or its absence.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Ord, PartialOrd)]
pub(crate) enum Tri {
    /// `True`
    True,
    /// `False`
    False,
    /// `Unknown`, or not reported yet.
    #[default]
    Unknown,
}

impl Tri {
    /// The status with this text.
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "True" => Self::True,
            "False" => Self::False,
            _ => Self::Unknown,
        }
    }

    /// The text of the status.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// A time as kubectl's ages; a dash if there is none.
pub(crate) fn age_cell(at: Option<Timestamp>, env: &RowEnv) -> Cell<'static> {
    match at {
        Some(at) => Cell::new(age(at, env.now), Role::Dim),
        None => Cell::new(env.glyphs.none, Role::Faint),
    }
}

/// How long ago a time was.
pub(crate) fn age(at: Timestamp, now: Timestamp) -> String {
    human_duration(now.duration_since(at).try_into().unwrap_or_default())
}

/// A share of something as a number and, where there is room, a bar.
pub(crate) fn share_cell(fraction: Option<f64>, env: &RowEnv) -> Cell<'static> {
    let Some(fraction) = fraction else {
        return Cell::new(env.glyphs.none, Role::Faint);
    };
    let text = format!("{:>4}", percent(fraction));
    let role = gauge::level(fraction);
    if env.wide {
        let (full, rest) = gauge::bar(env.glyphs, 6, fraction);
        Cell::new(full, role)
            .then(rest, Role::GaugeRest)
            .then(text, role)
    } else {
        Cell::new(text, role)
    }
}

/// A fraction in percent.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.0}%", fraction * 100.0)
}

/// A count out of a total: green when all, yellow when some, red when none.
pub(crate) fn ratio_cell(have: u32, want: u32, env: &RowEnv) -> Cell<'static> {
    if want == 0 && have == 0 {
        return Cell::new(env.glyphs.none, Role::Faint);
    }
    let role = match have {
        _ if have >= want => Role::StateOk,
        0 => Role::StateBad,
        _ => Role::StateWarn,
    };
    Cell::new(format!("{have}/{want}"), role)
}
