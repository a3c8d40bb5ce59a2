//! An object as YAML.

use flybridge_ui::frame::{Labels, frame, scroll_bar};
use flybridge_ui::text::clean_line;
use flybridge_ui::yaml::{YamlState as Lexer, highlight};
use flybridge_ui::{Painter, Role};
use ratatui::layout::Rect;

use super::Spec;
use crate::render::lines::message;
use crate::rows::ObjectRef;
use crate::state::{Phase, State};

pub(crate) const SPEC: Spec = Spec {
    id: "yaml",
    aliases: &[],
    title: "YAML",
    modes: &["yaml"],
    hints: &["back", "down", "half-down", "top", "bottom", "copy"],
};

/// The object and how far it is scrolled.
#[derive(Debug, Default)]
pub(crate) struct YamlState {
    pub(crate) object: Option<ObjectRef>,
    pub(crate) generation: u64,
    phase: Phase,
    lines: Vec<String>,
    top: usize,
    height: usize,
}

impl YamlState {
    /// An object has been asked for.
    pub(crate) fn ask(&mut self, object: ObjectRef, generation: u64) {
        *self = Self {
            object: Some(object),
            generation,
            height: self.height,
            ..Self::default()
        };
    }

    /// It is here.
    pub(crate) fn arrive(&mut self, result: Result<String, String>) {
        match result {
            Ok(text) => {
                self.lines = text.lines().map(|line| clean_line(line, 2)).collect();
                self.phase = Phase::Live;
            }
            Err(error) => self.phase = Phase::Failed(error),
        }
        self.jump(self.top);
    }

    pub(crate) fn scroll(&mut self, by: isize) {
        self.jump(self.top.saturating_add_signed(by));
    }

    pub(crate) fn jump(&mut self, to: usize) {
        self.top = to.min(self.lines.len().saturating_sub(self.height));
    }

    pub(crate) fn laid_out(&mut self, height: usize) {
        self.height = height;
        self.jump(self.top);
    }

    pub(crate) fn height(&self) -> usize {
        self.height.max(1)
    }
}

pub(crate) fn render(state: &State, p: &mut Painter<'_>, area: Rect) -> usize {
    let yaml = &state.yaml;
    let Some(object) = &yaml.object else { return 0 };
    let path = object.path();
    let place = match &object.cluster {
        Some(cluster) => format!("in {cluster}"),
        None => "in the control plane".to_owned(),
    };
    let height = usize::from(area.height.saturating_sub(2));
    let top = yaml.top.min(yaml.lines.len().saturating_sub(height));
    let last = (top + height).min(yaml.lines.len());
    let lines = format!(
        "lines {}-{last} of {}",
        (top + 1).min(last),
        yaml.lines.len()
    );
    let labels = Labels {
        title: &[
            (&object.kind, Role::Kind),
            (" ", Role::Dim),
            (&path, Role::Title),
        ],
        aside: &[(&place, Role::Cluster)],
        foot_aside: if yaml.phase == Phase::Live {
            &[(&lines, Role::Dim)]
        } else {
            &[]
        },
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    match &yaml.phase {
        Phase::Loading => {
            let heading = format!("Fetching {path}{}", p.glyphs.ellipsis);
            message(p, inside, (&heading, Role::Accent), &[]);
        }
        Phase::Failed(error) => {
            let heading = format!("Cannot show {path}");
            message(
                p,
                inside,
                (&heading, Role::StateBad),
                &[error, "", "esc goes back."],
            );
        }
        Phase::Live => {
            // What a line means depends on those before it, so all of them are read.
            let mut lexer = Lexer::default();
            for (at, line) in yaml.lines.iter().enumerate().take(last) {
                let pieces = highlight(line, &mut lexer);
                if at >= top {
                    let y = inside.y + u16::try_from(at - top).unwrap_or(0);
                    p.parts(inside.x, y, inside.width, &pieces);
                }
            }
            scroll_bar(p, area, yaml.lines.len(), height, top);
        }
    }
    height
}
