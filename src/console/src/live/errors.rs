//! Errors of the API in words for the screen.

use flybridge_base::report;
use flybridge_ui::text::clean;
use kube::runtime::watcher;

/// What went wrong, without the layers it came through.
pub(super) fn words(error: &kube::Error) -> String {
    let text = match error {
        kube::Error::Api(status) if !status.message.is_empty() => status.message.clone(),
        other => report(other),
    };
    clean(&text).into_owned()
}

/// The same for a watch.
pub(super) fn watch_words(error: &watcher::Error) -> String {
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => words(error),
        watcher::Error::WatchError(status) => clean(&status.message).into_owned(),
        watcher::Error::NoResourceVersion => clean(&report(error)).into_owned(),
    }
}

/// Whether the list does not exist or may not be seen: neither changes by trying again soon.
pub(super) fn is_denied(error: &watcher::Error) -> bool {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status)) => {
            matches!(status.code, 403 | 404)
        }
        _ => false,
    }
}
