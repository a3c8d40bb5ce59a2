//! Templates to nodes.

use super::unquote::unquote;
use super::{Node, Slice};
use crate::Error;

pub(super) fn parse(template: &str) -> Result<Vec<Node>, Error> {
    Parser {
        input: template,
        position: 0,
    }
    .template()
    .map_err(|message| {
        Error::JsonPathSyntax(format!("error parsing jsonpath {template}, {message}"))
    })
}

struct Parser<'a> {
    input: &'a str,
    position: usize,
}

fn is_terminator(character: char) -> bool {
    matches!(
        character,
        ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}'
    )
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// Reads `text` as the inside of one action.
fn action(text: &str) -> Result<Vec<Node>, String> {
    let wrapped = format!("{{{text}}}");
    let mut nodes = Parser {
        input: &wrapped,
        position: 0,
    }
    .template()?;
    if nodes.is_empty() {
        return Ok(nodes);
    }
    match nodes.swap_remove(0) {
        Node::Action(inner) => Ok(inner),
        other => Ok(vec![other]),
    }
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.input.get(self.position..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.position += character.len_utf8();
        Some(character)
    }

    fn since(&self, start: usize) -> &'a str {
        self.input.get(start..self.position).unwrap_or_default()
    }

    fn template(mut self) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        while !self.rest().is_empty() {
            let text = self.rest().split('{').next().unwrap_or_default();
            if !text.is_empty() {
                nodes.push(Node::Text(text.to_owned()));
                self.position += text.len();
            }
            if self.next().is_some() {
                nodes.push(Node::Action(self.inside()?));
            }
        }
        Ok(nodes)
    }

    fn inside(&mut self) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        loop {
            if self.rest().starts_with("[?(") {
                nodes.push(self.filter()?);
                continue;
            }
            if self.rest().starts_with("..") {
                self.recursive(&mut nodes)?;
                continue;
            }
            let start = self.position;
            match self.next() {
                None | Some('\n' | '\r') => return Err("unclosed action".to_owned()),
                Some('}') => return Ok(nodes),
                Some(' ' | '@' | '$') => {}
                Some('[') => self.array(start, &mut nodes)?,
                Some(quote @ ('"' | '\'')) => nodes.push(self.quoted(start, quote)?),
                Some('.') => nodes.push(self.field()),
                Some(digit) if digit.is_ascii_digit() || matches!(digit, '+' | '-') => {
                    nodes.push(self.number(start)?);
                }
                Some(word) if is_word(word) => nodes.push(self.identifier(start)),
                Some(other) => {
                    return Err(format!(
                        "unrecognized character in action: U+{:04X} '{other}'",
                        u32::from(other)
                    ));
                }
            }
        }
    }

    fn recursive(&mut self, nodes: &mut Vec<Node>) -> Result<(), String> {
        if nodes.last() == Some(&Node::Recursive) {
            return Err("invalid multiple recursive descent".to_owned());
        }
        self.position += 2;
        nodes.push(Node::Recursive);
        if self.peek().is_some_and(is_word) {
            nodes.push(self.field());
        }
        Ok(())
    }

    fn skip_to_terminator(&mut self) {
        while let Some(character) = self.peek() {
            if is_terminator(character) {
                return;
            }
            self.next();
            if character == '\\' {
                self.next();
            }
        }
    }

    fn field(&mut self) -> Node {
        let start = self.position;
        self.skip_to_terminator();
        match self.since(start) {
            "*" => Node::Wildcard,
            name => Node::Field(name.replace('\\', "")),
        }
    }

    fn identifier(&mut self, start: usize) -> Node {
        while self
            .peek()
            .is_some_and(|character| !is_terminator(character))
        {
            self.next();
        }
        match self.since(start) {
            "true" => Node::Bool(true),
            "false" => Node::Bool(false),
            word => Node::Identifier(word.to_owned()),
        }
    }

    fn number(&mut self, start: usize) -> Result<Node, String> {
        while self.peek().is_some_and(|c| c == '.' || c.is_ascii_digit()) {
            self.next();
        }
        let text = self.since(start);
        if let Ok(integer) = text.parse() {
            return Ok(Node::Integer(integer));
        }
        text.parse()
            .map(Node::Float)
            .map_err(|_error| format!("cannot parse number {text}"))
    }

    fn quoted(&mut self, start: usize, quote: char) -> Result<Node, String> {
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated quoted string".to_owned()),
                Some(character) if character == quote => {
                    let escaped = self.since(start).as_bytes().iter().nth_back(1) == Some(&b'\\');
                    if !escaped {
                        break;
                    }
                }
                Some(_) => {}
            }
        }
        let text = self.since(start);
        unquote(text)
            .map(Node::Text)
            .ok_or_else(|| format!("unquote string {text} error invalid syntax"))
    }

    fn array(&mut self, start: usize, nodes: &mut Vec<Node>) -> Result<(), String> {
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated array".to_owned()),
                Some(']') => break,
                Some(_) => {}
            }
        }
        let text = self.since(start);
        let text = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .unwrap_or(text);
        if text.contains(',') {
            let parts = text
                .split(',')
                .map(|part| action(&format!("[{}]", part.trim_matches(' '))));
            nodes.push(Node::Union(parts.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let key = text
            .strip_prefix('\'')
            .and_then(|text| text.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            nodes.extend(action(&format!(".{key}"))?);
            return Ok(());
        }
        nodes.push(Node::Slice(slice(text)?));
        Ok(())
    }

    fn filter(&mut self) -> Result<Node, String> {
        self.position += "[?(".len();
        let start = self.position;
        let (mut opened, mut closed) = (None, false);
        loop {
            match self.next() {
                None | Some('\n') => return Err("unterminated filter".to_owned()),
                Some(quote @ ('"' | '\'')) => {
                    let escaped = self.since(start).as_bytes().iter().nth_back(1) == Some(&b'\\');
                    match opened {
                        None => opened = Some(quote),
                        Some(open) if open == quote && !escaped => closed = true,
                        Some(_) => {}
                    }
                }
                Some(')') if opened.is_some() == closed => break,
                Some(_) => {}
            }
        }
        let text = self.since(start);
        let text = text.strip_suffix(')').unwrap_or(text);
        if self.next() != Some(']') {
            return Err("unclosed array expect ]".to_owned());
        }
        let Some((left, operator, right)) = comparison(text) else {
            return Ok(Node::Filter {
                left: action(text)?,
                operator: "exists".to_owned(),
                right: Vec::new(),
            });
        };
        Ok(Node::Filter {
            left: action(left)?,
            operator: operator.to_owned(),
            right: action(right)?,
        })
    }
}

/// Splits at the first run of comparison characters, if something stands on both sides.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_operator = |character: char| "!<>=".contains(character);
    let start = text.find(is_operator).filter(|start| *start > 0)?;
    let (left, rest) = text.split_at(start);
    let length = rest.find(|character| !is_operator(character))?;
    let (operator, right) = rest.split_at(length);
    Some((left, operator, right))
}

fn slice(text: &str) -> Result<Slice, String> {
    if text == "*" {
        return Ok(Slice {
            start: None,
            end: None,
            step: None,
            single: false,
        });
    }
    let parts: Vec<&str> = text.split(':').collect();
    let wrong = || format!("invalid array index {text}");
    if parts.len() > 3 {
        return Err(wrong());
    }
    let number = |part: Option<&&str>| match part.copied() {
        None | Some("") => Ok(None),
        Some(part) => {
            let digits = part.strip_prefix('-').unwrap_or(part);
            if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(wrong());
            }
            part.parse()
                .map(Some)
                .map_err(|_error| format!("array index {part} is not a number"))
        }
    };
    let start = number(parts.first())?;
    let single = parts.len() == 1;
    let end = if single {
        Some(start.unwrap_or(0) + 1)
    } else {
        number(parts.get(1))?
    };
    Ok(Slice {
        start,
        end,
        step: number(parts.get(2))?,
        single,
    })
}
