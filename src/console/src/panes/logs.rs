//! Logs of a pod in a member.

use flybridge_ui::frame::{Labels, frame};
use flybridge_ui::log::{LogLine, LogModel, paint};
use flybridge_ui::{Painter, Role};
use ratatui::layout::Rect;

use super::Spec;
use crate::effect::LogRequest;
use crate::filter::Filter;
use crate::render::lines::message;
use crate::state::{Phase, State};

pub(crate) const SPEC: Spec = Spec {
    id: "logs",
    aliases: &[],
    title: "Logs",
    modes: &["logs"],
    hints: &[
        "follow",
        "wrap",
        "times",
        "since",
        "container",
        "filter",
        "clear",
        "back",
    ],
};

/// Bytes of log kept.
const RING: usize = 32 << 20;

/// The log and where it comes from.
#[derive(Debug)]
pub(crate) struct LogsState {
    pub(crate) request: LogRequest,
    containers: Vec<String>,
    pub(crate) log: LogModel,
    pub(crate) filter: Filter,
    pub(crate) phase: Phase,
    pub(crate) generation: u64,
    ended: bool,
}

impl Default for LogsState {
    fn default() -> Self {
        Self {
            request: LogRequest::default(),
            containers: Vec::new(),
            log: LogModel::new(RING),
            filter: Filter::default(),
            phase: Phase::Loading,
            generation: 0,
            ended: false,
        }
    }
}

impl LogsState {
    /// Another pod's logs are to be shown; how lines are shown stays.
    pub(crate) fn open(&mut self, request: LogRequest, containers: Vec<String>) {
        let (wrap, times) = (self.log.wrap, self.log.times);
        *self = Self {
            request,
            containers,
            ..Self::default()
        };
        (self.log.wrap, self.log.times) = (wrap, times);
    }

    /// Turns to the next container, and says whether there is one.
    pub(crate) fn next_container(&mut self) -> bool {
        let at = self
            .containers
            .iter()
            .position(|name| *name == self.request.container);
        let next = at.map_or(0, |at| at + 1) % self.containers.len().max(1);
        match self.containers.get(next) {
            Some(name) if *name != self.request.container => {
                self.request.container.clone_from(name);
                self.log.clear();
                true
            }
            _ => false,
        }
    }

    pub(crate) fn set_filter(&mut self, filter: Filter) {
        self.filter = filter;
        let filter = &self.filter;
        let keep: &dyn Fn(&str) -> bool = &|line| filter.keeps_line(line);
        self.log.filter((!filter.is_empty()).then_some(keep));
    }

    pub(crate) fn arrive(&mut self, lines: Vec<LogLine>) {
        self.phase = Phase::Live;
        self.ended = false;
        let filter = &self.filter;
        let keep: &dyn Fn(&str) -> bool = &|line| filter.keeps_line(line);
        for line in lines {
            self.log.push(line, (!filter.is_empty()).then_some(keep));
        }
    }

    pub(crate) fn end(&mut self, error: Option<String>) {
        self.ended = true;
        match error {
            Some(error) if self.log.total() == 0 => self.phase = Phase::Failed(error),
            Some(error) => {
                self.phase = Phase::Live;
                self.log
                    .push(LogLine::marker(format!("stream cut: {error}")), None);
            }
            None => self.phase = Phase::Live,
        }
    }
}

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let logs = &state.logs;
    let request = &logs.request;
    let pod = format!("{}/{}", request.namespace, request.pod);
    let container = match logs.containers.len() {
        0 | 1 => String::new(),
        count => {
            let at = logs
                .containers
                .iter()
                .position(|c| *c == request.container)
                .unwrap_or(0)
                + 1;
            format!(" {} ({at} of {count})", request.container)
        }
    };
    let previous = if request.previous { " previous" } else { "" };
    let filter = [
        ("/", Role::HintKey),
        (logs.filter.text.as_str(), Role::Accent),
    ];
    let foot = foot(logs);
    let foot: Vec<(&str, Role)> = foot.iter().map(|(t, r)| (t.as_str(), *r)).collect();
    let count = match (logs.log.len(), logs.log.total()) {
        (shown, total) if shown == total => format!("{total} lines"),
        (shown, total) => format!("{shown} of {total} lines"),
    };
    let place = [
        ("in ", Role::Dim),
        (request.cluster.as_str(), Role::Cluster),
    ];
    let labels = Labels {
        title: &[
            (&pod, Role::Title),
            (&container, Role::Text),
            (previous, Role::StateWarn),
        ],
        aside: if logs.filter.is_empty() {
            &place
        } else {
            &filter
        },
        foot: &foot,
        foot_aside: &[(&count, Role::Dim)],
    };
    let inside = frame(p, area, labels, true);
    match &logs.phase {
        Phase::Loading => {
            let heading = format!("Opening the log{}", p.glyphs.ellipsis);
            message(p, inside, (&heading, Role::Accent), &[]);
        }
        Phase::Failed(error) => {
            message(
                p,
                inside,
                ("Cannot show the log", Role::StateBad),
                &[error, "", "esc goes back."],
            );
        }
        Phase::Live if logs.log.is_empty() => {
            let text = if logs.log.total() > 0 {
                "No line passes the filter."
            } else {
                "T goes further back; p in the list of pods shows the previous container."
            };
            message(p, inside, ("No lines", Role::Strong), &[text]);
        }
        Phase::Live => {
            let find = |line: &str| logs.filter.matches("", line);
            paint(p, inside, &logs.log, Some(&find));
        }
    }
    usize::from(inside.height)
}

fn foot(logs: &LogsState) -> Vec<(String, Role)> {
    let on = |set: bool| if set { Role::Accent } else { Role::Faint };
    let follow = if logs.ended {
        ("ended", Role::StateWarn)
    } else if logs.log.follow {
        ("following", Role::StateOk)
    } else {
        ("paused", Role::StateWarn)
    };
    let mut parts = vec![
        (follow.0.to_owned(), follow.1),
        (format!("  {}", logs.request.since.text()), Role::Dim),
        ("  wrap".to_owned(), on(logs.log.wrap)),
        ("  times".to_owned(), on(logs.log.times)),
    ];
    if logs.log.dropped() > 0 {
        parts.push((format!("  {} lines let go", logs.log.dropped()), Role::Dim));
    }
    parts
}
