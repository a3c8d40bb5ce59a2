//! Registry, repository and tag of container images.

use flybridge_apis::override_policy::{ImageComponent, ImageOverrider, OverriderOperator};
use serde_json::Value;

use super::containers_mut;
use crate::{Error, Result};

/// Rewrites the images that the overrider means.
pub(super) fn apply(object: &mut Value, overrider: &ImageOverrider) -> Result<()> {
    if let Some(predicate) = &overrider.predicate {
        return rewrite(at(object, &predicate.path)?, overrider);
    }
    for container in containers_mut(object).into_iter().flatten() {
        match container.get_mut("image") {
            Some(image) => rewrite(image, overrider)?,
            None => return Err(Error::invalid("a container has no image")),
        }
    }
    Ok(())
}

/// Walks map keys and list positions; keys are taken as they are, without unescaping.
fn at<'a>(object: &'a mut Value, path: &str) -> Result<&'a mut Value> {
    let missing = || Error::invalid(format!("there is nothing at {path}"));
    let mut value = object;
    for step in path.trim_start_matches('/').split('/') {
        value = match value {
            Value::Object(map) => map.get_mut(step),
            Value::Array(list) => {
                let position: usize = step.parse().map_err(|_not_a_number| missing())?;
                list.get_mut(position)
            }
            _ => None,
        }
        .ok_or_else(missing)?;
    }
    Ok(value)
}

fn rewrite(image: &mut Value, overrider: &ImageOverrider) -> Result<()> {
    let Some(text) = image.as_str() else {
        return Err(Error::invalid("an image is no text"));
    };
    let mut parts = Image::parse(text)?;
    parts.change(overrider);
    *image = Value::String(parts.to_string());
    Ok(())
}

/// An image reference in its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Image {
    hostname: String,
    repository: String,
    tag: String,
    digest: String,
}

impl Image {
    fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::invalid(format!("{text:?} is no image reference"));
        let (rest, digest) = text.split_once('@').unwrap_or((text, ""));
        if !digest.is_empty() && !is_digest(digest) || text.ends_with('@') {
            return Err(wrong());
        }
        let last_slash = rest.rfind('/').map_or(0, |at| at + 1);
        let colon = rest.rfind(':').filter(|at| *at >= last_slash);
        let (name, tag) = match colon {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        let tag = match tag.strip_prefix(':') {
            Some(tag) if is_tag(tag) => tag,
            Some(_) => return Err(wrong()),
            None => "",
        };
        let (hostname, repository) = match name.split_once('/') {
            Some((host, rest)) if host == "localhost" || host.contains(['.', ':']) => (host, rest),
            _ => ("", name),
        };
        let host_fits = hostname.is_empty() || is_hostname(hostname);
        if !host_fits || !repository.split('/').all(is_path_component) {
            return Err(wrong());
        }
        Ok(Self {
            hostname: hostname.to_owned(),
            repository: repository.to_owned(),
            tag: tag.to_owned(),
            digest: digest.to_owned(),
        })
    }

    fn change(&mut self, overrider: &ImageOverrider) {
        let value = overrider.value.as_str();
        let changed = |have: &str| match overrider.operator {
            OverriderOperator::Add => format!("{have}{value}"),
            OverriderOperator::Replace => value.to_owned(),
            OverriderOperator::Remove => String::new(),
        };
        match overrider.component {
            ImageComponent::Registry => self.hostname = changed(&self.hostname),
            ImageComponent::Repository => self.repository = changed(&self.repository),
            ImageComponent::Tag => {
                let have = if self.tag.is_empty() {
                    &self.digest
                } else {
                    &self.tag
                };
                let wanted = changed(have);
                self.set_tag_or_digest(wanted);
            }
        }
    }

    /// Text that is neither tag nor digest changes nothing.
    fn set_tag_or_digest(&mut self, text: String) {
        if text.is_empty() {
            self.tag.clear();
            self.digest.clear();
        } else if is_tag(&text) {
            self.tag = text;
            self.digest.clear();
        } else if is_digest(&text) {
            self.digest = text;
            self.tag.clear();
        }
    }
}

impl std::fmt::Display for Image {
    /// A tag wins over a digest.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.hostname.is_empty() {
            write!(f, "{}/", self.hostname)?;
        }
        f.write_str(&self.repository)?;
        if !self.tag.is_empty() {
            write!(f, ":{}", self.tag)
        } else if !self.digest.is_empty() {
            write!(f, "@{}", self.digest)
        } else {
            Ok(())
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_tag(text: &str) -> bool {
    text.len() <= 128
        && text.starts_with(is_word)
        && text.chars().all(|c| is_word(c) || c == '.' || c == '-')
}

/// `algorithm:hex`, where the algorithm may have parts joined by `+`, `.`, `-` or `_`.
fn is_digest(text: &str) -> bool {
    let Some((algorithm, hex)) = text.split_once(':') else {
        return false;
    };
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    algorithm.split(['+', '.', '-', '_']).all(part)
        && hex.len() >= 32
        && hex.chars().all(|c| c.is_ascii_hexdigit())
}

fn is_hostname(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "0"));
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    host.split('.').all(label) && !port.is_empty() && port.chars().all(|c| c.is_ascii_digit())
}

/// Lower-case words joined by one `.`, one or two `_`, or any number of `-`.
fn is_path_component(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let separators = text.split(plain).filter(|part| !part.is_empty());
    text.starts_with(plain)
        && text.ends_with(plain)
        && separators
            .into_iter()
            .all(|part| matches!(part, "." | "_" | "__") || part.chars().all(|c| c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(
        image: &str,
        component: ImageComponent,
        operator: OverriderOperator,
        value: &str,
    ) -> String {
        let mut image = Image::parse(image).unwrap();
        image.change(&ImageOverrider {
            predicate: None,
            component,
            operator,
            value: value.to_owned(),
        });
        image.to_string()
    }

    #[test]
    fn parts_change_on_their_own() {
        use ImageComponent::{Registry, Repository, Tag};
        use OverriderOperator::{Add, Remove, Replace};
        assert_eq!(
            changed("reg.io:5000/team/app:v1", Registry, Replace, "mirror.local"),
            "mirror.local/team/app:v1"
        );
        assert_eq!(
            changed("library/nginx", Registry, Replace, "m.io"),
            "m.io/library/nginx"
        );
        assert_eq!(
            changed("reg.io/app:v1", Tag, Add, "-patched"),
            "reg.io/app:v1-patched"
        );
        assert_eq!(changed("reg.io/app:v1", Tag, Remove, ""), "reg.io/app");
        assert_eq!(
            changed("reg.io/app:v1", Repository, Replace, "other"),
            "reg.io/other:v1"
        );
        assert_eq!(changed("app:v1", Tag, Replace, "not a tag"), "app:v1");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "UPPER/case", "a b", "app:", "a//b", "app@sha256:short"] {
            assert!(Image::parse(text).is_err(), "{text:?}");
        }
    }
}
