//! The folder a plane owns: store, keys, kubeconfig, sockets.
//!
//! Only its owner may enter it, and one process at a time may hold it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::error::{Error, Result};

/// The layout of a data directory; says nothing about who holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout(PathBuf);

impl Layout {
    /// The layout below `path`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.0.join("kubeconfig")
    }

    /// The durable store of the control plane.
    pub fn store(&self) -> PathBuf {
        self.0.join("store.redb")
    }

    /// The certificate authority and the certificates it signed.
    pub fn pki(&self) -> PathBuf {
        self.0.join("pki")
    }

    /// The owner-only socket on which consoles attach.
    pub fn socket(&self) -> PathBuf {
        self.0.join("plane.sock")
    }

    /// The socket on which consoles announce themselves and ask to quit.
    pub fn control_socket(&self) -> PathBuf {
        self.0.join("control.sock")
    }

    /// The log of a plane that was started in the background.
    pub fn log(&self) -> PathBuf {
        self.0.join("flybridge.log")
    }

    /// The durable store of a simulated member.
    pub fn member_store(&self, name: &str) -> PathBuf {
        self.0.join("members").join(format!("{name}.redb"))
    }

    fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }
}

/// A data directory held by this process; dropping it lets go.
#[derive(Debug)]
pub struct DataDir {
    layout: Layout,
    _lock: File,
}

impl DataDir {
    /// Creates the directory if need be (mode 0700) and takes it.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process holds it, [`Error::DataDir`] if it cannot be written.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let layout = Layout::at(path);
        create_private(layout.path())?;
        create_private(&layout.path().join("members"))?;
        let lock = take_lock(&layout)?;
        Ok(Self {
            layout,
            _lock: lock,
        })
    }

    /// Where things lie in it.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

/// Creates a folder that only its owner may enter; one that is there stays as it is.
///
/// # Errors
/// [`Error::DataDir`] with the path.
pub fn create_private(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| Error::DataDir {
            path: path.to_owned(),
            source,
        })
}

fn take_lock(layout: &Layout) -> Result<File> {
    let path = layout.lock();
    let failed = |source: io::Error| Error::DataDir {
        path: path.clone(),
        source,
    };
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(failed)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        return Err(Error::Locked {
            path: layout.path().to_owned(),
            pid: text.trim().parse().ok(),
        });
    }
    file.set_len(0).map_err(failed)?;
    file.rewind().map_err(failed)?;
    write!(file, "{}", std::process::id()).map_err(failed)?;
    Ok(file)
}

/// Writes a file that only its owner may read, replacing what was there in one step.
///
/// # Errors
/// [`Error::DataDir`] with the path that could not be written; the old file is kept.
pub fn write_private(path: &Path, text: &str) -> Result<()> {
    let failed = |source: io::Error| Error::DataDir {
        path: path.to_owned(),
        source,
    };
    let staged = path.with_extension("tmp");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&staged)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(&staged, path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn one_holder_at_a_time_and_the_error_names_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plane");
        let held = DataDir::open(&path).unwrap();
        let error = DataDir::open(&path).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("in use by process"), "{text}");
        drop(held);
        DataDir::open(&path).unwrap();
    }

    #[test]
    fn only_the_owner_may_enter_or_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plane");
        let held = DataDir::open(&path).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        let file = held.layout().kubeconfig();
        write_private(&file, "secret").unwrap();
        assert_eq!(mode(&file), 0o600);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "secret");
    }

    #[test]
    fn a_file_in_the_way_is_a_clear_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plane");
        std::fs::write(&path, "").unwrap();
        assert!(matches!(DataDir::open(&path), Err(Error::DataDir { .. })));
    }
}
