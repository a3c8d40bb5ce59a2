//! A small YAML lexer for colouring; it looks at one line at a time and never fails.

use crate::theme::Role;

/// What earlier lines mean for the next: inside a block scalar, its indentation.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct YamlState {
    block: Option<usize>,
}

/// Splits a line into pieces with roles; together the pieces are the line.
pub fn highlight<'a>(line: &'a str, state: &mut YamlState) -> Vec<(&'a str, Role)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    if let Some(block) = state.block {
        if line.trim().is_empty() || indent > block {
            return vec![(line, Role::YamlBlock)];
        }
        state.block = None;
    }
    let mut pieces = Vec::new();
    let (blank, mut rest) = split(line, indent);
    push(&mut pieces, blank, Role::YamlPunct);
    let mut depth = indent;
    // Each `- ` opens one more level on the same line.
    while let Some(after) = rest.strip_prefix("- ") {
        let skipped = rest.len() - after.trim_start_matches(' ').len();
        let (dash, tail) = split(rest, skipped);
        push(&mut pieces, dash, Role::YamlPunct);
        depth += skipped;
        rest = tail;
    }
    if rest == "-" || rest.starts_with("---") || rest == "..." {
        push(&mut pieces, rest, Role::YamlPunct);
        return pieces;
    }
    if let Some(end) = key_end(rest) {
        let (key, tail) = split(rest, end);
        push(&mut pieces, key, Role::YamlKey);
        let (colon, tail) = split(tail, 1);
        push(&mut pieces, colon, Role::YamlPunct);
        rest = tail;
    }
    value(rest, depth, state, &mut pieces);
    pieces
}

fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
}

fn push<'a>(pieces: &mut Vec<(&'a str, Role)>, text: &'a str, role: Role) {
    if !text.is_empty() {
        pieces.push((text, role));
    }
}

/// Where a key ends that starts the text: before a colon that is followed by a blank or nothing.
fn key_end(text: &str) -> Option<usize> {
    let quoted = text.starts_with(['"', '\'']);
    if text.starts_with(['#', '{', '[', '|', '>']) {
        return None;
    }
    let from = if quoted {
        let quote = text.chars().next()?;
        text.char_indices().skip(1).find(|(_, c)| *c == quote)?.0 + 1
    } else {
        0
    };
    text.char_indices()
        .skip_while(|(at, _)| *at < from)
        .find(|(at, c)| {
            *c == ':'
                && text
                    .get(at + 1..)
                    .is_some_and(|t| t.is_empty() || t.starts_with(' '))
        })
        .map(|(at, _)| at)
        .filter(|at| !text.get(..*at).unwrap_or_default().contains(" #"))
}

fn value<'a>(
    text: &'a str,
    depth: usize,
    state: &mut YamlState,
    pieces: &mut Vec<(&'a str, Role)>,
) {
    let (body, comment) = match comment_start(text) {
        Some(at) => split(text, at),
        None => (text, ""),
    };
    let trimmed = body.trim();
    let role = scalar_role(trimmed);
    if role == Role::YamlPunct && trimmed.starts_with(['|', '>']) {
        state.block = Some(depth);
    }
    push(pieces, body, role);
    push(pieces, comment, Role::YamlComment);
}

fn comment_start(text: &str) -> Option<usize> {
    let trimmed = text.trim_start();
    if trimmed.starts_with(['"', '\'']) {
        return None;
    }
    if trimmed.starts_with('#') {
        return Some(text.len() - trimmed.len());
    }
    text.find(" #")
}

fn scalar_role(text: &str) -> Role {
    match text {
        "" => Role::YamlPunct,
        "true" | "false" => Role::YamlBool,
        "null" | "~" => Role::YamlNull,
        "{}" | "[]" => Role::YamlPunct,
        _ if text.starts_with(['|', '>']) && text.len() <= 3 => Role::YamlPunct,
        _ if text.parse::<f64>().is_ok() && !text.contains(['n', 'N', 'i']) => Role::YamlNumber,
        _ => Role::YamlString,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(lines: &[&str]) -> Vec<Vec<(String, Role)>> {
        let mut state = YamlState::default();
        lines
            .iter()
            .map(|line| {
                let pieces = highlight(line, &mut state);
                assert_eq!(pieces.iter().map(|(t, _)| *t).collect::<String>(), *line);
                pieces
                    .into_iter()
                    .filter(|(text, _)| !text.trim().is_empty())
                    .map(|(text, role)| (text.trim().to_owned(), role))
                    .collect()
            })
            .collect()
    }

    fn one(line: &str) -> Vec<(String, Role)> {
        roles(&[line]).remove(0)
    }

    fn pair(text: &str, role: Role) -> (String, Role) {
        (text.to_owned(), role)
    }

    #[test]
    fn keys_and_scalars_differ() {
        let colon = pair(":", Role::YamlPunct);
        assert_eq!(
            one("  replicas: 3"),
            [
                pair("replicas", Role::YamlKey),
                colon.clone(),
                pair("3", Role::YamlNumber)
            ]
        );
        assert_eq!(
            one("  - name: web # main"),
            [
                pair("-", Role::YamlPunct),
                pair("name", Role::YamlKey),
                colon.clone(),
                pair("web", Role::YamlString),
                pair("# main", Role::YamlComment)
            ]
        );
        assert_eq!(
            one("\"a: b\": true"),
            [
                pair("\"a: b\"", Role::YamlKey),
                colon,
                pair("true", Role::YamlBool)
            ]
        );
        assert_eq!(
            one("- http://x:80/y"),
            [
                pair("-", Role::YamlPunct),
                pair("http://x:80/y", Role::YamlString)
            ]
        );
    }

    #[test]
    fn block_scalars_end_where_indentation_does() {
        let lines = roles(&["data: |", "  key: no", "", "  # text", "next: ~"]);
        assert_eq!(lines[1], [pair("key: no", Role::YamlBlock)]);
        assert_eq!(lines[3], [pair("# text", Role::YamlBlock)]);
        assert_eq!(lines[4][0], pair("next", Role::YamlKey));
        assert_eq!(lines[4][2], pair("~", Role::YamlNull));
    }

    #[test]
    fn odd_lines_do_not_panic() {
        for line in [
            "",
            ":",
            "-",
            "- ",
            "\"",
            "'",
            "---",
            "é: ü",
            "- - - x: |",
            "#",
            "? a",
            "a:b",
        ] {
            one(line);
        }
    }
}
