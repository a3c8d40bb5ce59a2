//! Words of a container's command or arguments.

use flybridge_apis::override_policy::{CommandArgsOverrider, OverriderOperator};
use serde_json::{Value, json};

use super::containers_mut;
use crate::{Error, Result};

/// Adds to or removes from a list of words of the container of that name.
pub(super) fn apply(
    object: &mut Value,
    field: &str,
    overrider: &CommandArgsOverrider,
) -> Result<()> {
    let Some(containers) = containers_mut(object) else {
        return Ok(());
    };
    let named = containers
        .iter_mut()
        .filter(|container| container["name"] == overrider.container_name.as_str());
    for container in named {
        let mut words = match &container[field] {
            Value::Null => Vec::new(),
            Value::Array(words) => words.clone(),
            _ => return Err(Error::invalid(format!("{field} is no list"))),
        };
        match overrider.operator {
            OverriderOperator::Add => words.extend(overrider.value.iter().map(|w| json!(w))),
            OverriderOperator::Remove => {
                words.retain(|word| !overrider.value.iter().any(|gone| word == gone.as_str()));
            }
            OverriderOperator::Replace => {}
        }
        container[field] = Value::Array(words);
    }
    Ok(())
}
