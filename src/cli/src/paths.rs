//! Where data, state and configuration lie when the user does not say.

use std::path::PathBuf;

use directories::ProjectDirs;

use crate::failure::{Failure, exit};

fn project() -> Result<ProjectDirs, Failure> {
    ProjectDirs::from("dev", "flybridge", "flybridge").ok_or_else(|| {
        Failure::new(exit::FAILED, "no home directory").hint("set HOME, or give --data-dir")
    })
}

/// The data directory: the one given, or the user's own.
pub(crate) fn data_dir(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    match given {
        Some(path) => Ok(path),
        None => Ok(project()?.data_dir().to_owned()),
    }
}

/// Where themes and keymaps of the user lie; `None` without a home.
pub(crate) fn config_dir() -> Option<PathBuf> {
    project()
        .ok()
        .map(|project| project.config_dir().to_owned())
}

/// Where logs of the console lie; `None` without a home.
pub(crate) fn state_dir() -> Option<PathBuf> {
    let project = project().ok()?;
    Some(
        project
            .state_dir()
            .unwrap_or_else(|| project.cache_dir())
            .to_owned(),
    )
}
