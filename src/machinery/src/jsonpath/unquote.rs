//! Go string literals in either kind of quotes.

use std::str::Chars;

/// Takes the quotes off and resolves escapes; `None` when malformed.
pub(super) fn unquote(text: &str) -> Option<String> {
    let quote = text.chars().next()?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut output = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => output.push(escape(&mut characters)?),
            '\n' => return None,
            plain if plain == quote => return None,
            plain => output.push(plain),
        }
    }
    Some(output)
}

fn escape(characters: &mut Chars<'_>) -> Option<char> {
    Some(match characters.next()? {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        same @ ('\\' | '\'' | '"') => same,
        'x' => code(characters, 2)?,
        'u' => code(characters, 4)?,
        'U' => code(characters, 8)?,
        _ => return None,
    })
}

fn code(characters: &mut Chars<'_>, digits: usize) -> Option<char> {
    let text: String = characters.by_ref().take(digits).collect();
    (text.len() == digits)
        .then(|| u32::from_str_radix(&text, 16).ok())
        .flatten()
        .and_then(char::from_u32)
}
