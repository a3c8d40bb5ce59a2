//! Nodes over an object.

use std::borrow::Cow;

use serde_json::Value;

use super::compare::holds;
use super::{Node, Slice};
use crate::Error;

type Found<'a> = Vec<Cow<'a, Value>>;

static NULL: Value = Value::Null;

pub(super) fn find<'a>(nodes: &[Node], object: &'a Value) -> Result<Vec<Found<'a>>, Error> {
    Evaluator {
        nodes,
        ranges: Ranges::default(),
    }
    .run(0, Cow::Borrowed(object))
    .map_err(Error::JsonPathEvaluation)
}

/// Where `range` and `end` have brought us.
#[derive(Default)]
struct Ranges {
    beginning: usize,
    ending: usize,
    depth: usize,
    last_end: Option<usize>,
}

struct Evaluator<'n> {
    nodes: &'n [Node],
    ranges: Ranges,
}

impl Evaluator<'_> {
    fn run<'a>(&mut self, start: usize, object: Cow<'a, Value>) -> Result<Vec<Found<'a>>, String> {
        let nodes = self.nodes;
        let current = vec![object];
        let mut output = Vec::new();
        let mut index = start;
        while let Some(node) = nodes.get(index) {
            let found = walk(current.clone(), node, &mut self.ranges)?;
            if self.ranges.ending > 0 && self.ranges.ending <= self.ranges.depth {
                self.ranges.ending -= 1;
                self.ranges.last_end = Some(index);
                break;
            }
            if self.ranges.beginning > 0 {
                self.ranges.beginning -= 1;
                self.range(index + 1, found, &mut output)?;
                if let Some(end) = self.ranges.last_end.filter(|end| *end > index) {
                    index = end;
                }
            } else {
                output.push(found);
            }
            index += 1;
        }
        Ok(output)
    }

    /// Repeats the nodes up to the matching `end` for each value found.
    fn range<'a>(
        &mut self,
        start: usize,
        found: Found<'a>,
        output: &mut Vec<Found<'a>>,
    ) -> Result<(), String> {
        self.ranges.depth += 1;
        if found.is_empty() {
            // Nothing to print, but the end must still be found.
            self.run(start, Cow::Borrowed(&NULL))?;
        }
        for value in found {
            output.extend(self.run(start, value)?);
        }
        self.ranges.depth -= 1;
        Ok(())
    }
}

fn walk_all<'a>(
    input: Found<'a>,
    nodes: &[Node],
    ranges: &mut Ranges,
) -> Result<Found<'a>, String> {
    nodes
        .iter()
        .try_fold(input, |values, node| walk(values, node, ranges))
}

fn walk<'a>(input: Found<'a>, node: &Node, ranges: &mut Ranges) -> Result<Found<'a>, String> {
    let same = |value: Value, times: usize| Ok(vec![Cow::Owned(value); times]);
    match node {
        Node::Action(nodes) => walk_all(input, nodes, ranges),
        Node::Text(text) => same(Value::String(text.clone()), 1),
        Node::Integer(number) => same((*number).into(), input.len()),
        Node::Float(number) => same((*number).into(), input.len()),
        Node::Bool(bool) => same((*bool).into(), input.len()),
        Node::Field(name) => Ok(children(input, |value| {
            value.get(name.as_str()).into_iter().collect()
        })),
        Node::Wildcard => Ok(children(input, members)),
        Node::Recursive => Ok(recursive(input)),
        Node::Slice(slice) => elements(input, *slice),
        Node::Union(parts) => {
            let mut output = Vec::new();
            for part in parts {
                output.extend(walk_all(input.clone(), part, ranges)?);
            }
            Ok(output)
        }
        Node::Filter {
            left,
            operator,
            right,
        } => filter(input, left, operator, right),
        Node::Identifier(word) => match word.as_str() {
            "range" => {
                ranges.beginning += 1;
                Ok(input)
            }
            "end" if ranges.depth > 0 => {
                ranges.ending += 1;
                Ok(Vec::new())
            }
            "end" => Err("not in range, nothing to end".to_owned()),
            other => Err(format!("unrecognized identifier {other}")),
        },
    }
}

/// Replaces each value by some of what it holds.
fn children<'a>(input: Found<'a>, select: impl Fn(&Value) -> Vec<&Value>) -> Found<'a> {
    let mut output = Vec::new();
    for value in input {
        match value {
            Cow::Borrowed(value) => output.extend(select(value).into_iter().map(Cow::Borrowed)),
            Cow::Owned(value) => {
                output.extend(
                    select(&value)
                        .into_iter()
                        .map(|part| Cow::Owned(part.clone())),
                );
            }
        }
    }
    output
}

fn members(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(map) => map.values().collect(),
        _ => Vec::new(),
    }
}

/// Each value with everything below it, where there is something below; texts count their letters.
fn recursive(input: Found<'_>) -> Found<'_> {
    let mut output = Vec::new();
    for value in input {
        let inner = children(vec![value.clone()], members);
        let letters = value.as_str().is_some_and(|text| !text.is_empty());
        if !inner.is_empty() || letters {
            output.push(value);
            output.extend(recursive(inner));
        }
    }
    output
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn elements(input: Found<'_>, slice: Slice) -> Result<Found<'_>, String> {
    let mut output = Vec::new();
    for value in input {
        if value.is_null() {
            continue;
        }
        let Some(items) = value.as_array() else {
            return Err(format!("{} is not array or slice", type_name(&value)));
        };
        let Some((start, end)) = bounds(slice, items.len())? else {
            return Ok(output);
        };
        let step = match slice.step {
            Some(step) if step <= 0 => return Err("step must be > 0".to_owned()),
            Some(step) => usize::try_from(step).unwrap_or(usize::MAX),
            None => 1,
        };
        let chosen = |items: usize| (start..end.min(items)).step_by(step);
        match value {
            Cow::Borrowed(Value::Array(items)) => {
                output.extend(
                    chosen(items.len())
                        .filter_map(|at| items.get(at))
                        .map(Cow::Borrowed),
                );
            }
            Cow::Owned(Value::Array(items)) => {
                let picked = chosen(items.len()).filter_map(|at| items.get(at));
                output.extend(picked.map(|item| Cow::Owned(item.clone())));
            }
            _ => {}
        }
    }
    Ok(output)
}

/// The bounds of a slice; `None` when it asks for no elements.
fn bounds(slice: Slice, length: usize) -> Result<Option<(usize, usize)>, String> {
    let count = i64::try_from(length).unwrap_or(i64::MAX);
    let mut start = slice.start.unwrap_or(0);
    if start < 0 {
        start += count;
    }
    let mut end = slice.end.unwrap_or(count);
    if end < 0 || (end == 0 && slice.single) {
        end += count;
    }
    if start == end {
        return Ok(None);
    }
    let outside = |index: i64| {
        Err(format!(
            "array index out of bounds: index {index}, length {length}"
        ))
    };
    if start < 0 || start >= count {
        return outside(start);
    }
    if end < 0 || end > count {
        return outside(end - 1);
    }
    if start > end {
        return Err(format!(
            "starting index {start} is greater than ending index {end}"
        ));
    }
    let index = |value: i64| usize::try_from(value).unwrap_or_default();
    Ok(Some((index(start), index(end))))
}

fn filter<'a>(
    input: Found<'a>,
    left: &[Node],
    operator: &str,
    right: &[Node],
) -> Result<Found<'a>, String> {
    let mut output = Vec::new();
    for value in input {
        if !value.is_array() {
            return Err(format!(
                "{value} is not array or slice and cannot be filtered"
            ));
        }
        for item in children(vec![value], members) {
            if passes(&item, left, operator, right)? {
                output.push(item);
            }
        }
    }
    Ok(output)
}

fn passes(item: &Value, left: &[Node], operator: &str, right: &[Node]) -> Result<bool, String> {
    let mut ranges = Ranges::default();
    let lefts = walk_all(vec![Cow::Borrowed(item)], left, &mut ranges);
    if operator == "exists" {
        return Ok(lefts.is_ok_and(|found| !found.is_empty()));
    }
    let one = |found: Found<'_>| match found.as_slice() {
        [] => Ok(None),
        [value] => Ok(Some(value.clone().into_owned())),
        _ => Err("can only compare one element at a time".to_owned()),
    };
    let Some(left) = one(lefts?)? else {
        return Ok(false);
    };
    let Some(right) = one(walk_all(vec![Cow::Borrowed(item)], right, &mut ranges)?)? else {
        return Ok(false);
    };
    holds(&left, operator, &right)
}
