//! Clients from kubeconfig files.

use std::path::Path;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::{Error, Result};

/// A client for `context` of the file at `path`.
///
/// Without a path, `KUBECONFIG` and then the default location are read; without a context, the
/// current one counts.
///
/// # Errors
/// The file cannot be read, names no such context, or its credentials cannot be used.
pub async fn from_kubeconfig(path: Option<&Path>, context: Option<&str>) -> Result<Client> {
    let kubeconfig = match path {
        Some(path) => Kubeconfig::read_from(path)?,
        None => Kubeconfig::read()?,
    };
    let options = KubeConfigOptions {
        context: context.map(str::to_owned),
        ..KubeConfigOptions::default()
    };
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    Client::try_from(config).map_err(|error| Error::Build(Box::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_missing_file_is_an_error() {
        let missing = Path::new("/nonexistent/kubeconfig");
        assert!(matches!(
            from_kubeconfig(Some(missing), None).await,
            Err(Error::Kubeconfig(_))
        ));
    }
}
