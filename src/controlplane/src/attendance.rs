//! Which consoles are attached, and whether the last of them asked the plane to stop.
//!
//! A console keeps one connection to the control socket open for as long as it runs. A deliberate
//! quit writes `quit` before closing; a lost terminal just closes, and the plane goes on.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use flybridge_base::{Shutdown, Tasks};
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

use crate::error::{Error, Result};

const QUIT: &str = "quit";
/// A plane in good health accepts at once; a longer wait means nobody is there.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);

/// Counts attached consoles.
#[derive(Clone, Debug)]
pub struct Attendance {
    attached: Arc<Mutex<usize>>,
    unattended: Shutdown,
}

impl Attendance {
    /// Listens on `path`, replacing a socket that a dead process left behind.
    ///
    /// # Errors
    /// [`Error::Socket`] if the path cannot be bound.
    pub fn listen(path: &Path, tasks: &Tasks) -> Result<Self> {
        let listener = bind_private(path)?;
        let attendance = Self {
            attached: Arc::default(),
            unattended: Shutdown::new(),
        };
        let accepting = attendance.clone();
        let group = tasks.clone();
        tasks.spawn_until_shutdown("attendance", async move {
            while let Ok((stream, _)) = listener.accept().await {
                let visitor = accepting.clone();
                group.spawn_until_shutdown("attached console", async move {
                    visitor.attend(stream).await;
                });
            }
        });
        Ok(attendance)
    }

    /// How many consoles are attached now.
    pub fn attached(&self) -> usize {
        *self.attached.lock()
    }

    /// Resolves when the last attached console has quit deliberately.
    pub async fn wait_unattended(&self) {
        self.unattended.wait().await;
    }

    async fn attend(&self, stream: UnixStream) {
        *self.attached.lock() += 1;
        let mut lines = BufReader::new(stream).lines();
        let mut quit = false;
        while let Ok(Some(line)) = lines.next_line().await {
            quit |= line.trim() == QUIT;
        }
        let remaining = {
            let mut attached = self.attached.lock();
            *attached -= 1;
            *attached
        };
        if quit && remaining == 0 {
            self.unattended.trigger();
        }
    }
}

/// The console's end of the connection.
#[derive(Debug)]
pub struct Attached(UnixStream);

impl Attached {
    /// Announces a console; `None` if no plane listens there.
    pub async fn to(path: &Path) -> Option<Self> {
        let connect = tokio::time::timeout(CONNECT_LIMIT, UnixStream::connect(path)).await;
        connect.ok()?.ok().map(Self)
    }

    /// Says that the user quit on purpose.
    pub async fn quit(mut self) {
        let said = self.0.write_all(format!("{QUIT}\n").as_bytes()).await;
        if let Err(error) = said {
            tracing::debug!(%error, "the plane was gone before the goodbye");
        }
    }
}

/// Binds a socket that only its owner may use.
///
/// # Errors
/// [`Error::Socket`] with the path.
pub fn bind_private(path: &Path) -> Result<UnixListener> {
    let failed = |source| Error::Socket {
        path: path.to_owned(),
        source,
    };
    // The data directory's lock is held, so whatever lies here belongs to a dead process.
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(failed)?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(path, mode).map_err(failed)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn until(attendance: &Attendance, count: usize) {
        while attendance.attached() != count {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn only_the_last_deliberate_quit_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("control.sock");
        let tasks = Tasks::new();
        let attendance = Attendance::listen(&path, &tasks).unwrap();
        let lost = Attached::to(&path).await.unwrap();
        let first = Attached::to(&path).await.unwrap();
        let last = Attached::to(&path).await.unwrap();
        until(&attendance, 3).await;
        first.quit().await;
        until(&attendance, 2).await;
        drop(lost);
        until(&attendance, 1).await;
        assert!(!attendance.unattended.is_triggered());
        last.quit().await;
        attendance.wait_unattended().await;
        assert!(tasks.stop(Duration::from_secs(5)).await);
    }

    #[tokio::test]
    async fn nobody_listens_is_none() {
        let dir = tempfile::tempdir().unwrap();
        assert!(
            Attached::to(&dir.path().join("nothing.sock"))
                .await
                .is_none()
        );
    }
}
