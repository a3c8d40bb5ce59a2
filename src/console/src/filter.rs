//! The filter grammar of lists and logs.
//!
//! ```text
//! expr := term (space term)*          a space means and; "quoted words" stay together
//! term := re | !re | COL:re | !COL:re | COL<op>number | -f fuzzy
//!       | @cluster | ns:a,b | is:attention | age<1h
//! ```
//!
//! Regular expressions ignore case and look at the text of all columns but AGE.

use flybridge_ui::Record;
use flybridge_ui::fuzzy::rank;
use regex::{Regex, RegexBuilder};

use crate::rows::{IS_WORDS, ListRow, RowEnv};

/// A parsed filter; the default lets everything through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// What was typed.
    pub(crate) text: String,
    terms: Vec<Term>,
}

#[derive(Clone, Debug)]
enum Term {
    Text {
        regex: Regex,
        negated: bool,
    },
    Column {
        column: String,
        regex: Regex,
        negated: bool,
    },
    Compare {
        column: String,
        op: Op,
        value: f64,
    },
    Cluster(String),
    Namespaces(Vec<String>),
    Is(String),
    Fuzzy(String),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Op {
    Less,
    LessOrEqual,
    More,
    MoreOrEqual,
    Equal,
}

impl Op {
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::More => left > right,
            Self::MoreOrEqual => left >= right,
            Self::Equal => (left - right).abs() < 1e-9,
        }
    }
}

impl Filter {
    /// Reads a filter; `columns` are the ids that may be named.
    ///
    /// # Errors
    /// What is wrong, in words for the prompt.
    pub(crate) fn parse(text: &str, columns: &[&str]) -> Result<Self, String> {
        let mut terms = Vec::new();
        let mut words = words(text).into_iter();
        while let Some(word) = words.next() {
            if word == "-f" {
                let rest: Vec<String> = words.by_ref().collect();
                terms.push(Term::Fuzzy(rest.join(" ")));
            } else {
                terms.push(term(&word, columns)?);
            }
        }
        Ok(Self {
            text: text.trim().to_owned(),
            terms,
        })
    }

    /// Whether it lets everything through.
    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a row passes.
    pub(crate) fn keeps<R: ListRow>(&self, row: &R, env: &RowEnv) -> bool {
        self.terms.iter().all(|term| term.keeps(row, env))
    }

    /// Whether a line of a log passes; terms about columns do not apply to it.
    pub(crate) fn keeps_line(&self, line: &str) -> bool {
        self.terms.iter().all(|term| match term {
            Term::Text { regex, negated } => regex.is_match(line) != *negated,
            Term::Fuzzy(query) => !rank(query, [line]).is_empty(),
            _ => true,
        })
    }

    /// Byte ranges of a cell's text that made it pass.
    pub(crate) fn matches(&self, column: &str, text: &str) -> Vec<(usize, usize)> {
        let mut ranges = Vec::new();
        for term in &self.terms {
            let regex = match term {
                Term::Text {
                    regex,
                    negated: false,
                } if column != "age" => regex,
                Term::Column {
                    column: wanted,
                    regex,
                    negated: false,
                } if wanted == column => regex,
                _ => continue,
            };
            ranges.extend(regex.find_iter(text).map(|m| (m.start(), m.end())));
        }
        ranges
    }
}

impl Term {
    fn keeps<R: ListRow>(&self, row: &R, env: &RowEnv) -> bool {
        match self {
            Self::Text { regex, negated } => {
                let found = (0..R::COLUMNS.len())
                    .filter(|i| R::COLUMNS[*i].id != "age")
                    .any(|i| regex.is_match(&row.cell(i, env).plain()));
                found != *negated
            }
            Self::Column {
                column,
                regex,
                negated,
            } => {
                let found = position::<R>(column)
                    .is_some_and(|i| regex.is_match(&row.cell(i, env).plain()));
                found != *negated
            }
            Self::Compare { column, op, value } if column == "age" => row
                .created()
                .is_some_and(|at| op.holds(env.now.duration_since(at).as_secs_f64(), *value)),
            Self::Compare { column, op, value } => position::<R>(column)
                .and_then(|i| row.number(i))
                .is_some_and(|number| op.holds(number, *value)),
            Self::Cluster(name) => row.touches(name),
            Self::Namespaces(names) => names.iter().any(|name| name == row.namespace()),
            Self::Is(word) => row.is(word),
            Self::Fuzzy(query) => {
                !rank(query, [format!("{}/{}", row.namespace(), row.name())]).is_empty()
            }
        }
    }
}

fn position<R: Record>(column: &str) -> Option<usize> {
    R::COLUMNS.iter().position(|c| c.id == column)
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn term(word: &str, columns: &[&str]) -> Result<Term, String> {
    if let Some(name) = word.strip_prefix('@').filter(|n| !n.is_empty()) {
        return Ok(Term::Cluster(if name == "*" {
            String::new()
        } else {
            name.to_owned()
        }));
    }
    let (negated, body) = match word.strip_prefix('!').filter(|w| !w.is_empty()) {
        Some(rest) => (true, rest),
        None => (false, word),
    };
    if !negated && let Some(compared) = comparison(body, columns)? {
        return Ok(compared);
    }
    match body.split_once(':') {
        Some(("ns", names)) if !negated => Ok(Term::Namespaces(
            names.split(',').map(ToOwned::to_owned).collect(),
        )),
        Some(("is", name)) if !negated => {
            let known = IS_WORDS.contains(&name) || matches!(name, "unscheduled" | "evicting");
            if known {
                Ok(Term::Is(name.to_owned()))
            } else {
                Err(format!("is: knows {}", IS_WORDS.join(", ")))
            }
        }
        Some((column, pattern)) if columns.contains(&column.to_ascii_lowercase().as_str()) => {
            Ok(Term::Column {
                column: column.to_ascii_lowercase(),
                regex: regex(pattern)?,
                negated,
            })
        }
        _ => Ok(Term::Text {
            regex: regex(body)?,
            negated,
        }),
    }
}

fn comparison(word: &str, columns: &[&str]) -> Result<Option<Term>, String> {
    let Some(at) = word.find(['<', '>', '=']) else {
        return Ok(None);
    };
    let (column, rest) = word.split_at_checked(at).unwrap_or((word, ""));
    let column = column.to_ascii_lowercase();
    if !columns.contains(&column.as_str()) {
        return Ok(None);
    }
    let operators = [
        ("<=", Op::LessOrEqual),
        (">=", Op::MoreOrEqual),
        ("<", Op::Less),
        (">", Op::More),
        ("=", Op::Equal),
    ];
    let Some((op, text)) = operators
        .iter()
        .find_map(|(sign, op)| rest.strip_prefix(sign).map(|text| (*op, text)))
    else {
        return Ok(None);
    };
    let value = if column == "age" {
        seconds(text)
    } else {
        text.trim_end_matches('%').parse().ok()
    };
    let value = value.ok_or_else(|| format!("{column} needs a number, not {text:?}"))?;
    Ok(Some(Term::Compare { column, op, value }))
}

/// Reads `90s`, `15m`, `2h` or `3d`; a bare number is seconds.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.strip_prefix(digits)?;
    let factor = match unit {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|n| n * factor)
}

fn regex(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .size_limit(1 << 20)
        .build()
        .map_err(|error| {
            let text = error.to_string();
            // The last line of a syntax error says what is wrong; the others draw a caret.
            text.lines()
                .last()
                .unwrap_or("invalid pattern")
                .trim_start_matches("error: ")
                .to_owned()
        })
}

#[cfg(test)]
mod tests {
    use flybridge_ui::glyphs::ASCII;

    use super::*;
    use crate::rows::{BindingRow, ClusterRow, Target, Tri, Usage};

    fn env() -> RowEnv {
        RowEnv {
            now: "2026-01-01T00:00:00Z".parse().unwrap(),
            glyphs: ASCII,
            wide: false,
        }
    }

    fn columns<R: Record>() -> Vec<&'static str> {
        R::COLUMNS.iter().map(|c| c.id).collect()
    }

    fn cluster() -> ClusterRow {
        ClusterRow {
            name: "ams-prod-1".to_owned(),
            ready: Tri::False,
            region: "eu-west".to_owned(),
            cpu: Usage {
                used: 64.0,
                total: 100.0,
            },
            created: Some("2025-12-31T00:00:00Z".parse().unwrap()),
            ..ClusterRow::default()
        }
    }

    fn keeps(text: &str) -> bool {
        let filter = Filter::parse(text, &columns::<ClusterRow>()).unwrap();
        filter.keeps(&cluster(), &env())
    }

    #[test]
    fn terms_narrow_together() {
        for (text, expected) in [
            ("", true),
            ("AMS eu", true),
            ("ams !eu", false),
            ("region:west", true),
            ("!region:west", false),
            ("region:ams", false),
            ("cpu>60", true),
            ("cpu>=64% cpu<70", true),
            ("cpu>64", false),
            ("age<2d", true),
            ("age<1h", false),
            ("@ams", true),
            ("@fra", false),
            ("is:bad is:attention", true),
            ("is:ok", false),
            ("-f aprd1", true),
            ("\"ams prod\"", false),
            ("^ams-.*-1$", true),
        ] {
            assert_eq!(keeps(text), expected, "{text:?}");
        }
    }

    #[test]
    fn faults_are_told_in_words() {
        let columns = columns::<ClusterRow>();
        for text in ["(", "cpu>many", "is:fine"] {
            assert!(Filter::parse(text, &columns).is_err(), "{text:?}");
        }
    }

    #[test]
    fn clusters_and_namespaces_of_bindings() {
        let row = BindingRow {
            namespace: "web".to_owned(),
            targets: vec![Target {
                cluster: "fra-1".to_owned(),
                ..Target::default()
            }],
            ..BindingRow::default()
        };
        let keeps = |text| {
            Filter::parse(text, &columns::<BindingRow>())
                .unwrap()
                .keeps(&row, &env())
        };
        assert!(keeps("ns:db,web @fra is:unscheduled"));
        assert!(!keeps("ns:db"));
    }

    #[test]
    fn matches_are_ranges_of_the_cell() {
        let filter = Filter::parse("prod name:1 !x", &columns::<ClusterRow>()).unwrap();
        assert_eq!(filter.matches("name", "ams-prod-1"), [(4, 8), (9, 10)]);
        assert_eq!(filter.matches("region", "1 prod"), [(2, 6)]);
    }
}
