//! The text form of label selectors: a lexer and a descent over its tokens.
//!
//! Source: the grammar and messages of upstream `labels.Parse`.

use super::{Operator, Requirement, check_key};
use crate::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    End,
    Word,
    In,
    NotIn,
    Bang,
    Equals,
    DoubleEquals,
    NotEquals,
    Greater,
    Less,
    Open,
    Close,
    Comma,
}

const SPECIAL: [char; 7] = ['=', '!', '(', ')', ',', '>', '<'];

fn special(text: &str) -> Option<Token> {
    Some(match text {
        "!" => Token::Bang,
        "=" => Token::Equals,
        "==" => Token::DoubleEquals,
        "!=" => Token::NotEquals,
        ">" => Token::Greater,
        "<" => Token::Less,
        "(" => Token::Open,
        ")" => Token::Close,
        "," => Token::Comma,
        _ => return None,
    })
}

fn tokens(text: &str) -> Vec<(Token, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some(first) = rest.chars().next() else {
            found.push((Token::End, ""));
            return found;
        };
        let length = if SPECIAL.contains(&first) {
            match rest.get(..2) {
                Some(pair) if special(pair).is_some() => 2,
                _ => 1,
            }
        } else {
            let ends = |c: char| SPECIAL.contains(&c) || matches!(c, ' ' | '\t' | '\r' | '\n');
            rest.find(ends).unwrap_or(rest.len())
        };
        let (literal, tail) = rest.split_at(length);
        let token = special(literal).unwrap_or(match literal {
            "in" => Token::In,
            "notin" => Token::NotIn,
            _ => Token::Word,
        });
        found.push((token, literal));
        rest = tail;
    }
}

struct Parser<'a> {
    tokens: Vec<(Token, &'a str)>,
    position: usize,
}

impl<'a> Parser<'a> {
    /// The next token where `in` and `notin` are operators.
    fn peek_operator(&self) -> (Token, &'a str) {
        self.tokens
            .get(self.position)
            .copied()
            .unwrap_or((Token::End, ""))
    }

    /// The next token where `in` and `notin` are plain words.
    fn peek(&self) -> (Token, &'a str) {
        match self.peek_operator() {
            (Token::In | Token::NotIn, literal) => (Token::Word, literal),
            other => other,
        }
    }

    fn next(&mut self) -> (Token, &'a str) {
        let token = self.peek();
        self.position += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, Error> {
        let (mut token, mut key) = self.next();
        let negated = token == Token::Bang;
        if negated {
            (token, key) = self.next();
        }
        if token != Token::Word {
            return Err(found(key, "identifier"));
        }
        check_key(key)?;
        if negated {
            return Requirement::new(key, Operator::DoesNotExist, []);
        }
        if matches!(self.peek().0, Token::End | Token::Comma) {
            return Requirement::new(key, Operator::Exists, []);
        }
        let operator = self.operator()?;
        let values = if matches!(operator, Operator::In | Operator::NotIn) {
            self.values()?
        } else {
            vec![self.exact_value()?]
        };
        Requirement::new(key, operator, values)
    }

    fn operator(&mut self) -> Result<Operator, Error> {
        let (token, literal) = self.peek_operator();
        self.position += 1;
        Ok(match token {
            Token::In => Operator::In,
            Token::NotIn => Operator::NotIn,
            Token::Equals => Operator::Equals,
            Token::DoubleEquals => Operator::DoubleEquals,
            Token::NotEquals => Operator::NotEquals,
            Token::Greater => Operator::GreaterThan,
            Token::Less => Operator::LessThan,
            Token::End | Token::Word | Token::Bang | Token::Open | Token::Close | Token::Comma => {
                return Err(found(literal, "in, notin, =, ==, !=, gt, lt"));
            }
        })
    }

    fn exact_value(&mut self) -> Result<String, Error> {
        if matches!(self.peek().0, Token::End | Token::Comma) {
            return Ok(String::new());
        }
        match self.next() {
            (Token::Word, literal) => Ok(literal.to_owned()),
            (_, literal) => Err(found(literal, "identifier")),
        }
    }

    fn values(&mut self) -> Result<Vec<String>, Error> {
        let (token, literal) = self.next();
        if token != Token::Open {
            return Err(found(literal, "'('"));
        }
        match self.peek() {
            (Token::Word | Token::Comma, _) => {
                let values = self.list()?;
                match self.next() {
                    (Token::Close, _) => Ok(values),
                    (_, literal) => Err(found(literal, "')'")),
                }
            }
            (Token::Close, _) => {
                self.position += 1;
                Ok(vec![String::new()])
            }
            (_, literal) => Err(found(literal, "',', ')' or identifier")),
        }
    }

    /// Words between commas; a missing word on either side of a comma is the empty value.
    fn list(&mut self) -> Result<Vec<String>, Error> {
        let mut values = Vec::new();
        loop {
            match self.next() {
                (Token::Word, literal) => {
                    values.push(literal.to_owned());
                    match self.peek() {
                        (Token::Comma, _) => {}
                        (Token::Close, _) => return Ok(values),
                        (_, literal) => return Err(found(literal, "',' or ')'")),
                    }
                }
                (Token::Comma, _) => {
                    if values.is_empty() {
                        values.push(String::new());
                    }
                    match self.peek().0 {
                        Token::Close => {
                            values.push(String::new());
                            return Ok(values);
                        }
                        Token::Comma => {
                            self.position += 1;
                            values.push(String::new());
                        }
                        _ => {}
                    }
                }
                (_, literal) => return Err(found(literal, "',', or identifier")),
            }
        }
    }
}

fn found(literal: &str, expected: &str) -> Error {
    Error::LabelRequirement(format!("found '{literal}', expected: {expected}"))
}

fn between(literal: &str, expected: &str) -> Error {
    Error::LabelSelector(format!("found '{literal}', expected: {expected}"))
}

/// Reads all requirements, in the order of the text.
pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, Error> {
    let mut parser = Parser {
        tokens: tokens(text),
        position: 0,
    };
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            (Token::Word | Token::Bang, _) => requirements.push(parser.requirement()?),
            (Token::End, _) => return Ok(requirements),
            (_, literal) => return Err(between(literal, "!, identifier, or 'end of string'")),
        }
        match parser.next() {
            (Token::End, _) => return Ok(requirements),
            (Token::Comma, _) => {
                let (token, literal) = parser.peek();
                if !matches!(token, Token::Word | Token::Bang) {
                    return Err(between(literal, "identifier after ','"));
                }
            }
            (_, literal) => return Err(between(literal, "',' or 'end of string'")),
        }
    }
}
