//! What all lists have in common: frame, table, notices, and what they say when there is nothing.

use flybridge_ui::frame::{Labels, frame, scroll_bar};
use flybridge_ui::table::{mark_role, paint};
use flybridge_ui::text::fit;
use flybridge_ui::{Mark, Painter, Record, Role};
use ratatui::layout::Rect;

use super::Pane;
use crate::render::lines::message;
use crate::render::shows_detail;
use crate::rows::ListRow;
use crate::state::{List, MemberList, Phase, State};

/// What a list says where rows would be.
pub(crate) struct Words {
    /// Plural, lower case: `clusters`.
    pub(crate) things: &'static str,
    /// What to do when there are none.
    pub(crate) none: &'static [&'static str],
}

/// A line about a member beside the rows of the others.
pub(crate) struct Notice {
    pub(crate) mark: Mark,
    pub(crate) cluster: String,
    pub(crate) text: String,
}

/// Notice lines at most.
const NOTICES: usize = 4;

/// Paints a list and returns how many rows it shows.
pub(crate) fn render<R: ListRow>(
    state: &State,
    p: &mut Painter<'_>,
    area: Rect,
    (list, phase): (&List<R>, &Phase),
    (words, notices): (&Words, &[Notice]),
) -> usize {
    let title = state.pane().spec().title;
    let (shown, total) = (list.table.len(), list.table.rows().len());
    let count = if shown == total {
        format!(" {total}")
    } else {
        format!(" {shown} of {total}")
    };
    let filter = list.filter.text.as_str();
    let filter_parts = [("/", Role::HintKey), (filter, Role::Accent)];
    let stale = match phase {
        Phase::Failed(_) if total > 0 => " not up to date ",
        _ => "",
    };
    let labels = Labels {
        title: &[(title, Role::Title), (&count, Role::Dim)],
        aside: if filter.is_empty() {
            &[]
        } else {
            &filter_parts
        },
        foot: if stale.is_empty() {
            &[]
        } else {
            &[(stale, Role::BadgeWarn)]
        },
        ..Labels::default()
    };
    let inside = frame(p, area, labels, true);
    let notice_rows = notices
        .len()
        .min(NOTICES)
        .min(usize::from(inside.height / 3));
    let taken = u16::try_from(notice_rows).unwrap_or(0);
    let rows = Rect {
        height: inside.height - taken,
        ..inside
    };
    if list.table.is_empty() {
        nothing(state, p, rows, (list, phase), (words, notices.len()));
    } else {
        let highlight = |column: &str, text: &str| list.filter.matches(column, text);
        let height = paint(p, rows, &list.table, &state.env(), Some(&highlight));
        let (first, _) = list.table.window(height);
        scroll_bar(
            p,
            Rect {
                height: rows.height + 2,
                ..area
            },
            shown,
            height,
            first,
        );
    }
    paint_notices(
        p,
        Rect::new(inside.x, rows.bottom(), inside.width, taken),
        notices,
    );
    usize::from(rows.height.saturating_sub(1))
}

fn paint_notices(p: &mut Painter<'_>, area: Rect, notices: &[Notice]) {
    let shown = usize::from(area.height);
    for (i, (y, notice)) in (area.y..area.bottom()).zip(notices).enumerate() {
        let role = mark_role(notice.mark);
        let hidden = notices.len() - shown;
        if i + 1 == shown && hidden > 0 {
            let text = format!("and {} more members", hidden + 1);
            p.text(area.x + 2, y, area.width, &text, Role::Dim);
            break;
        }
        let glyph = p.glyphs.mark(notice.mark);
        let parts = [
            (glyph, role),
            (" ", role),
            (notice.cluster.as_str(), Role::Cluster),
            ("  ", role),
            (notice.text.as_str(), role),
        ];
        p.parts(area.x, y, area.width, &parts);
    }
}

fn nothing<R: ListRow>(
    state: &State,
    p: &mut Painter<'_>,
    area: Rect,
    (list, phase): (&List<R>, &Phase),
    (words, failed): (&Words, usize),
) {
    let things = words.things;
    let total = list.table.rows().len();
    if total > 0 {
        let heading = format!("None of {total} {things} passes");
        let mut why = Vec::new();
        if !list.filter.is_empty() {
            why.push(format!("The filter is /{}", list.filter.text));
        }
        if let Some(namespace) = &state.namespace {
            why.push(format!("Only namespace {namespace} is shown; 0 shows all."));
        }
        if state.attention {
            why.push("Only what needs attention is shown; ! shows all.".to_owned());
        }
        let why: Vec<&str> = why.iter().map(String::as_str).collect();
        message(p, area, (&heading, Role::Strong), &why);
        return;
    }
    match phase {
        Phase::Loading => {
            let heading = format!("Listing {things}{}", p.glyphs.ellipsis);
            message(
                p,
                area,
                (&heading, Role::Accent),
                &["Rows appear as they arrive."],
            );
        }
        Phase::Failed(error) => {
            let heading = format!("Cannot list {things}");
            let text = [
                error.as_str(),
                "",
                "It is tried again by itself; ctrl-r tries now.",
            ];
            message(p, area, (&heading, Role::StateBad), &text);
        }
        Phase::Live if failed > 0 => {
            let heading = format!("No {things} to show");
            message(
                p,
                area,
                (&heading, Role::Strong),
                &["No member could be asked; see below."],
            );
        }
        Phase::Live => {
            let heading = format!("No {things}");
            message(p, area, (&heading, Role::Strong), words.none);
        }
    }
}

/// Divides a pane between a list and its details: beside it where there is width, else below.
pub(crate) fn split(state: &State, area: Rect, below: u16) -> (Rect, Option<Rect>) {
    if !shows_detail(state) {
        return (area, None);
    }
    if area.width >= 150 {
        let wide = (area.width * 2 / 5).clamp(58, 84);
        let list = Rect {
            width: area.width - wide,
            ..area
        };
        let detail = Rect {
            x: list.right(),
            width: wide,
            ..area
        };
        return (list, Some(detail));
    }
    let below = below.min(area.height / 2);
    let list = Rect {
        height: area.height - below,
        ..area
    };
    let detail = Rect {
        y: list.bottom(),
        height: below,
        ..area
    };
    (list, Some(detail))
}

/// Lines about members whose part of a list is missing or old.
pub(crate) fn notices<R>(state: &State, members: &MemberList<R>) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut waiting = Vec::new();
    for row in state.clusters.table.rows().iter() {
        let Some(member) = members.members.get(&row.name) else {
            waiting.push(row.name.as_str());
            continue;
        };
        match &member.phase {
            Phase::Live => {}
            Phase::Loading => waiting.push(row.name.as_str()),
            Phase::Failed(error) => {
                let old = if member.rows.is_empty() {
                    ""
                } else {
                    "rows are old: "
                };
                notices.push(Notice {
                    mark: Mark::Bad,
                    cluster: row.name.clone(),
                    text: format!("{old}{}", fit(error, 200, state.glyphs.ellipsis)),
                });
            }
        }
    }
    if !waiting.is_empty() {
        notices.push(Notice {
            mark: Mark::Moving,
            cluster: waiting.join(" "),
            text: "waiting".to_owned(),
        });
    }
    notices
}

/// How far a list over members has come as a whole: live once one member has answered.
pub(crate) fn phase_of<R>(state: &State, members: &MemberList<R>) -> Phase {
    let clusters = state.clusters.table.rows();
    match &state.clusters.phase {
        Phase::Live if clusters.is_empty() => Phase::Live,
        Phase::Live => {
            let answered = |phase: &Phase| *phase != Phase::Loading;
            if members
                .members
                .values()
                .any(|member| answered(&member.phase))
            {
                Phase::Live
            } else {
                Phase::Loading
            }
        }
        other => other.clone(),
    }
}

/// Where the cursor is in the list shown, and its order.
pub(crate) fn position(state: &State) -> Option<String> {
    fn of<R: ListRow>(list: &List<R>) -> Option<String> {
        let column = <R as Record>::COLUMNS.get(list.table.sort().column)?;
        let at = if list.table.is_empty() {
            0
        } else {
            list.table.cursor() + 1
        };
        let direction = if list.table.sort().descending {
            " down"
        } else {
            ""
        };
        Some(format!(
            "row {at} of {}   sort {}{direction}",
            list.table.len(),
            column.id
        ))
    }
    match state.pane() {
        Pane::Clusters => of(&state.clusters),
        Pane::Bindings => of(&state.bindings),
        Pane::Workloads => of(&state.workloads.list),
        Pane::Pods => of(&state.pods.list),
        Pane::Works => of(&state.works),
        Pane::Fleet | Pane::Explain | Pane::Logs | Pane::Yaml => None,
    }
}
