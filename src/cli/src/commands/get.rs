//! `flybridge get`: objects of the control plane, or of several members in one table.
//!
//! A member that cannot be asked is a line on standard error beside the rows of the others.

mod render;
mod resource;

use anyhow::{Context, Result};
use flybridge_controlplane::data_dir::Layout;
use futures::future::join_all;
use http::Request;
use kube::Client;
use serde_json::{Value, json};

use self::resource::Resource;
use crate::args::{GetArgs, Output};
use crate::commands::runtime;
use crate::failure::{Failure, exit};
use crate::{out, paths};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
/// Where a row or object comes from; `None` is the control plane itself.
type Origin = Option<String>;

pub(super) fn run(args: GetArgs) -> Result<u8> {
    runtime()?.block_on(get(args))
}

async fn get(args: GetArgs) -> Result<u8> {
    let client = connect(&args).await?;
    let origins = origins(&client, &args.clusters).await?;
    let asked = join_all(origins.iter().map(|origin| ask(&client, origin, &args))).await;
    let mut answers = Vec::new();
    let mut failures = Vec::new();
    for (origin, answer) in origins.into_iter().zip(asked) {
        match answer {
            Ok(answer) => answers.push((origin, answer)),
            Err(error) => failures.push((origin, error)),
        }
    }
    if answers.is_empty()
        && let Some((_, error)) = failures.pop()
    {
        return Err(error.into());
    }
    let empty = render::print(&args, &answers)?;
    for (origin, error) in &failures {
        out::note(&format!(
            "error: {}: {error}",
            origin.as_deref().unwrap_or("control plane")
        ));
    }
    if empty && args.output == Output::Table {
        out::note("No resources found.");
    }
    Ok(if failures.is_empty() {
        exit::OK
    } else {
        exit::FAILED
    })
}

async fn connect(args: &GetArgs) -> Result<Client> {
    if args.kubeconfig.is_some() && args.data_dir.is_none() {
        let (path, context) = (args.kubeconfig.as_deref(), args.context.as_deref());
        return flybridge_client::from_kubeconfig(path, context)
            .await
            .map_err(|error| unreachable(flybridge_base::report(&error)).into());
    }
    let layout = Layout::at(paths::data_dir(args.data_dir.clone())?);
    if !layout.socket().exists() {
        let text = format!("no control plane runs on {}", layout.path().display());
        return Err(unreachable(text).into());
    }
    Ok(flybridge_client::over_unix(&layout.socket()))
}

fn unreachable(text: String) -> Failure {
    Failure::new(exit::UNREACHABLE, text)
        .hint("start one with `flybridge serve`, or give --data-dir or --kubeconfig")
}

async fn origins(client: &Client, clusters: &[String]) -> Result<Vec<Origin>> {
    if clusters.is_empty() {
        return Ok(vec![None]);
    }
    if clusters != ["all"] {
        return Ok(clusters.iter().cloned().map(Some).collect());
    }
    let list = fetch(
        client,
        "/apis/cluster.karmada.io/v1alpha1/clusters",
        "application/json",
    )
    .await?;
    let items = list["items"].as_array().cloned().unwrap_or_default();
    Ok(items
        .iter()
        .filter_map(|item| item["metadata"]["name"].as_str())
        .map(|name| Some(name.to_owned()))
        .collect())
}

async fn ask(client: &Client, origin: &Origin, args: &GetArgs) -> Result<Value, Failure> {
    let client = match origin {
        Some(cluster) => flybridge_client::via_proxy(client, cluster),
        None => client.clone(),
    };
    let resource = Resource::find(&client, &args.resource).await?;
    let path = resource.path(args);
    let accept = match args.output {
        Output::Table | Output::Wide => TABLE,
        Output::Json | Output::Yaml | Output::Name => "application/json",
    };
    let mut answer = fetch(&client, &path, accept).await?;
    answer["resource"] = json!(resource.full_name());
    Ok(answer)
}

/// One GET; the server's own words become the failure.
async fn fetch(client: &Client, path: &str, accept: &str) -> Result<Value, Failure> {
    let request = Request::get(path)
        .header(http::header::ACCEPT, accept)
        .body(Vec::new())
        .map_err(|error| Failure::new(exit::USAGE, format!("{path}: {error}")))?;
    client
        .request::<Value>(request)
        .await
        .map_err(|error| match error {
            kube::Error::Api(status) => {
                let code = if status.code == 404 {
                    exit::NOT_FOUND
                } else {
                    exit::FAILED
                };
                Failure::new(code, status.message.clone())
            }
            other => unreachable(flybridge_base::report(&other)),
        })
}

fn yaml(value: &Value) -> Result<String> {
    serde_saphyr::to_string(value).context("wrote YAML")
}
