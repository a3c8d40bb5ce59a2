//! Printing an error with everything that caused it.

use std::error::Error;

/// The error and its sources in one line, joined by `: `.
///
/// A source whose text its parent already ends with is not repeated.
pub fn report(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("opened the store")]
    struct Outer(#[source] Inner);

    #[derive(Debug, thiserror::Error)]
    #[error("permission denied")]
    struct Inner;

    #[test]
    fn prints_the_chain_once() {
        assert_eq!(report(&Outer(Inner)), "opened the store: permission denied");
    }
}
