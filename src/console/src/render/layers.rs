//! What is on top of the panes.

use flybridge_ui::frame::{Labels, centred, frame};
use flybridge_ui::table::mark_role;
use flybridge_ui::text::width16;
use flybridge_ui::{Painter, Role, dialog, picker};
use ratatui::layout::Rect;

use super::chrome::follow_ups;
use crate::action::{Action, Needs, SPECS, Section};
use crate::rows::age;
use crate::state::{Layer, State};
use crate::update::unavailable;

/// Paints the layers and returns where the terminal's cursor belongs.
pub(super) fn render(
    state: &State,
    p: &mut Painter<'_>,
    body: Rect,
    prompt: Rect,
) -> Option<(u16, u16)> {
    let mut cursor = None;
    for layer in &state.layers {
        cursor = match layer {
            Layer::Palette(list) => picker::paint(p, popup(body, 84, 16), "Commands", ":", list),
            Layer::Namespaces(list) => {
                picker::paint(p, popup(body, 56, 14), "Namespace", ">", list)
            }
            Layer::Filter { input, error, .. } => {
                Some(filter(state, p, prompt, input, error.as_deref()))
            }
            Layer::Help(at) => {
                help(state, p, body, *at);
                None
            }
            Layer::Messages(at) => {
                messages(state, p, body, *at);
                None
            }
            Layer::Dialog(question, _) => {
                dialog::paint(p, body, question);
                None
            }
        };
    }
    if !state.keys.is_empty() {
        sequence(state, p, body);
    }
    cursor
}

/// A box near the top, where eyes already are.
fn popup(body: Rect, width: u16, height: u16) -> Rect {
    let mut area = centred(body, width.min(body.width - 8), height.min(body.height - 2));
    area.y = body.y + (body.height - area.height) / 4;
    area
}

fn filter(
    state: &State,
    p: &mut Painter<'_>,
    line: Rect,
    input: &flybridge_ui::TextInput,
    error: Option<&str>,
) -> (u16, u16) {
    p.clear(line, Role::Prompt);
    let x = p.text(line.x + 1, line.y, 8, "filter /", Role::PromptMark);
    let aside = error.unwrap_or("re  !re  COL:re  COL>n  @cluster  ns:a,b  is:attention");
    let aside_role = if error.is_some() {
        Role::PromptError
    } else {
        Role::PromptGhost
    };
    let aside_width = width16(aside).min(line.width / 2);
    let field = Rect::new(
        x,
        line.y,
        line.right().saturating_sub(x + aside_width + 3),
        1,
    );
    let role = if error.is_some() {
        Role::PromptError
    } else {
        Role::Prompt
    };
    let cursor = input.paint(p, field, role, "");
    let room = line.right().saturating_sub(field.right() + 1);
    p.parts_right(
        line.right() - 1,
        line.y,
        aside_width.min(room),
        &[(aside, aside_role)],
    );
    debug_assert!(!state.layers.is_empty());
    cursor
}

/// The popup of keys that may follow, at the bottom right.
fn sequence(state: &State, p: &mut Painter<'_>, body: Rect) {
    let items = follow_ups(state);
    let key_width = items.iter().map(|(key, _)| width16(key)).max().unwrap_or(1);
    let wide = items
        .iter()
        .map(|(_, label)| width16(label))
        .max()
        .unwrap_or(0)
        + key_width
        + 7;
    let height = (u16::try_from(items.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2))
    .min(body.height);
    let wide = wide.clamp(16, body.width);
    let area = Rect::new(body.right() - wide, body.bottom() - height, wide, height);
    p.clear(area, Role::Dialog);
    let title = flybridge_ui::chord::show_sequence(&state.keys);
    let labels = Labels {
        title: &[(&title, Role::HintKey)],
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    for (y, (key, label)) in (inside.y..inside.bottom()).zip(&items) {
        p.text(inside.x, y, key_width, key, Role::HintKey);
        let x = inside.x + key_width + 2;
        p.text(x, y, inside.right().saturating_sub(x), label, Role::Text);
    }
}

/// One line of help: keys, what they do, and why they do not now.
enum HelpLine {
    Heading(&'static str),
    Key {
        keys: String,
        doc: String,
        why_not: Option<&'static str>,
    },
    Blank,
}

fn help_lines(state: &State) -> Vec<HelpLine> {
    let mut modes = state.pane().spec().modes.to_vec();
    modes.push("global");
    let mut lines = Vec::new();
    for section in Section::LISTED {
        let mut entries = Vec::new();
        let specs = SPECS
            .iter()
            .filter(|s| s.section == section && s.needs != Needs::Prompt);
        for spec in specs {
            entries.extend(help_entry(state, &modes, spec));
        }
        if !entries.is_empty() {
            if !lines.is_empty() {
                lines.push(HelpLine::Blank);
            }
            lines.push(HelpLine::Heading(section.title()));
            lines.append(&mut entries);
        }
    }
    lines
}

fn help_entry(state: &State, modes: &[&str], spec: &crate::action::Spec) -> Option<HelpLine> {
    let why_not = unavailable(state, spec.needs);
    if let Ok(action) = Action::parse(spec.id) {
        let keys = state.keymap.all_keys_for(modes, &action);
        if keys.is_empty() {
            return None;
        }
        let keys = keys.iter().take(2).cloned().collect::<Vec<_>>().join(" ");
        return Some(HelpLine::Key {
            keys,
            doc: spec.doc.to_owned(),
            why_not,
        });
    }
    // Actions with an argument are bound once for each value; they share a line.
    let mut keys: Vec<String> = Vec::new();
    for mode in modes {
        for (chords, action) in state.keymap.bindings(mode, &[]) {
            if action.spec().id == spec.id {
                keys.push(flybridge_ui::chord::show_sequence(&chords));
            }
        }
    }
    keys.retain(|key| !key.starts_with("alt-"));
    let keys = match (keys.first(), keys.last()) {
        (Some(first), Some(last)) if keys.len() > 3 && first.len() == 1 => {
            format!("{first}-{last}")
        }
        _ => keys.join(" "),
    };
    (!keys.is_empty()).then(|| HelpLine::Key {
        keys,
        doc: spec.doc.to_owned(),
        why_not,
    })
}

fn help(state: &State, p: &mut Painter<'_>, body: Rect, at: usize) {
    let lines = help_lines(state);
    let area = popup(body, 112, 60);
    p.clear(area, Role::Dialog);
    let title = format!("Keys in {}", state.pane().spec().title);
    let name = format!("keymap {}", state.keymap.name);
    let labels = Labels {
        title: &[(&title, Role::Title)],
        aside: &[(&name, Role::Dim)],
        foot: &[
            ("esc", Role::HintKey),
            (" close", Role::Dim),
            ("  : ", Role::HintKey),
            ("runs any command by name", Role::Dim),
        ],
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    let columns: u16 = if inside.width >= 88 { 2 } else { 1 };
    let height = usize::from(inside.height);
    let capacity = height * usize::from(columns);
    let start = at.min(lines.len().saturating_sub(capacity));
    let wide = inside.width / columns;
    for (i, line) in lines.iter().skip(start).take(capacity).enumerate() {
        let column = u16::try_from(i / height).unwrap_or(0);
        let row = u16::try_from(i % height).unwrap_or(0);
        let place = Rect::new(inside.x + column * wide, inside.y + row, wide - 2, 1);
        help_line(p, place, line);
    }
    flybridge_ui::frame::scroll_bar(p, area, lines.len(), capacity, start);
}

fn help_line(p: &mut Painter<'_>, place: Rect, line: &HelpLine) {
    match line {
        HelpLine::Blank => {}
        HelpLine::Heading(title) => {
            p.text(place.x, place.y, place.width, title, Role::Title);
        }
        HelpLine::Key { keys, doc, why_not } => {
            let role = if why_not.is_some() {
                Role::Faint
            } else {
                Role::HintKey
            };
            p.text(place.x, place.y, 14, keys, role);
            let x = place.x + 15;
            let room = place.right().saturating_sub(x);
            let end = match why_not {
                None => p.text(x, place.y, room, doc, Role::Text),
                Some(_) => p.text(x, place.y, room, doc, Role::Faint),
            };
            if let Some(why) = why_not {
                let note = format!(" ({why})");
                p.text(
                    end,
                    place.y,
                    place.right().saturating_sub(end),
                    &note,
                    Role::Faint,
                );
            }
        }
    }
}

fn messages(state: &State, p: &mut Painter<'_>, body: Rect, at: usize) {
    let area = popup(body, 100, 30);
    p.clear(area, Role::Dialog);
    let labels = Labels {
        title: &[("Messages", Role::Title)],
        foot: &[("esc", Role::HintKey), (" close", Role::Dim)],
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    if state.messages.is_empty() {
        p.text(
            inside.x,
            inside.y,
            inside.width,
            "nothing has been said yet",
            Role::Dim,
        );
    }
    let start = at.min(
        state
            .messages
            .len()
            .saturating_sub(usize::from(inside.height)),
    );
    let newest_first = state.messages.iter().rev().skip(start);
    for (y, message) in (inside.y..inside.bottom()).zip(newest_first) {
        let age = format!("{:>5}  ", age(message.at, state.now));
        let x = p.text(inside.x, y, inside.width, &age, Role::Dim);
        let room = inside.right().saturating_sub(x);
        p.text(x, y, room, &message.text, mark_role(message.mark));
    }
}
