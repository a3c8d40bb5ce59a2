//! DELETE of a collection: every object that the selectors match.

use std::sync::Arc;

use super::list::{self, Page};
use super::{Call, delete};
use crate::options::{DeleteOptions, ListOptions};
use crate::record::Header;
use crate::request::Answer;

/// Deletes the matching objects and returns them as they were.
pub(crate) async fn delete_matching(
    call: &Call,
    list_options: &ListOptions,
    options: &DeleteOptions,
) -> Answer<Page> {
    let page = list::list(call, list_options)?;
    for record in &page.items {
        let header = Header::of(record);
        let mut one = call.clone();
        one.name.clone_from(&header.name);
        one.namespace.clone_from(&header.namespace);
        match delete::delete(&one, options).await {
            Err(status) if status.code != 404 => return Err(status),
            _ => {}
        }
    }
    Ok(Page {
        items: page.items.iter().map(Arc::clone).collect(),
        ..page
    })
}
