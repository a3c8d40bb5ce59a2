//! Writing status: only what changed, again on conflict.

use std::future::Future;
use std::time::Duration;

use flybridge_client::{Objects, is_conflict};
use serde_json::Value;

/// How often a conflicting write is tried.
const TRIES: u32 = 5;
/// The wait between tries.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs `attempt` until it does not end in a conflict, at most five times.
///
/// # Errors
/// The last attempt's.
pub async fn retry_on_conflict<T, F, R>(mut attempt: F) -> kube::Result<T>
where
    F: FnMut(u32) -> R,
    R: Future<Output = kube::Result<T>>,
{
    let mut tries = 0;
    loop {
        match attempt(tries).await {
            Err(error) if is_conflict(&error) && tries + 1 < TRIES => {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

/// Brings the status of `name` to what `mutate` makes of it; writes only if that differs.
///
/// The first try starts from `known`, a cached object, if given; later ones read the live object.
/// Returns the object written, or nothing if no write was needed.
///
/// # Errors
/// As the API answers.
pub async fn write_status<F>(
    objects: &Objects,
    name: &str,
    known: Option<&Value>,
    mutate: F,
) -> kube::Result<Option<Value>>
where
    F: Fn(&mut Value),
{
    let mutate = &mutate;
    retry_on_conflict(|attempt| async move {
        let mut object = match known {
            Some(known) if attempt == 0 => known.clone(),
            _ => objects.get(name).await?,
        };
        let before = object.get("status").cloned();
        mutate(&mut object);
        if object.get("status") == before.as_ref() {
            return Ok(None);
        }
        objects.replace_status(name, &object).await.map(Some)
    })
    .await
}
