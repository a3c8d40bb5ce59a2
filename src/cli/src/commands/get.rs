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
use serde_json::Value;

use self::resource::Resource;
use crate::args::{GetArgs, Output};
use crate::commands::runtime;
use crate::failure::{Failure, exit};
use crate::{out, paths};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
/// Where a row or object comes from; `None` is the control plane itself.
type Origin = Option<String>;

/// What one server answered.
struct Answer {
    origin: Origin,
    resource: Resource,
    body: Value,
}

pub(super) fn run(args: GetArgs) -> Result<u8> {
    runtime()?.block_on(get(args))
}

async fn get(args: GetArgs) -> Result<u8> {
    check(&args)?;
    let client = connect(&args).await?;
    let origins = origins(&client, &args.clusters).await?;
    let asked = join_all(origins.iter().map(|origin| ask(&client, origin, &args))).await;
    let mut answers = Vec::new();
    let mut failures = Vec::new();
    for (origin, answer) in origins.into_iter().zip(asked) {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(error) => failures.push(named(origin.as_deref(), error)),
        }
    }
    if answers.is_empty()
        && let Some(failure) = united(failures.drain(..))
    {
        return Err(failure.into());
    }
    if args.clusters == ["all"] {
        // Not every member has every object.
        failures.retain(|failure| failure.exit != exit::NOT_FOUND);
    }
    let empty = render::print(&args, &answers)?;
    for failure in &failures {
        out::note(&format!("error: {failure}"));
    }
    if empty && matches!(args.output, Output::Table | Output::Wide) {
        out::note(&nothing(&args, &answers));
    }
    Ok(if failures.is_empty() {
        exit::OK
    } else {
        exit::FAILED
    })
}

/// Refuses combinations that mean nothing.
fn check(args: &GetArgs) -> Result<(), Failure> {
    let wrong = match (&args.name, &args.selector) {
        (Some(_), _) if args.all_namespaces => {
            "a resource cannot be retrieved by name across all namespaces"
        }
        (Some(_), Some(_)) => "a name cannot be given together with a selector",
        _ => return Ok(()),
    };
    Err(Failure::new(exit::USAGE, wrong))
}

/// Says which member a failure is about.
fn named(origin: Option<&str>, mut failure: Failure) -> Failure {
    if let Some(cluster) = origin {
        failure.message = format!("{cluster}: {}", failure.message);
    }
    failure
}

/// One failure with a line for each; the exit code is the one they share.
fn united(failures: impl Iterator<Item = Failure>) -> Option<Failure> {
    failures.reduce(|mut all, next| {
        if all.exit != next.exit {
            all.exit = exit::FAILED;
        }
        all.message = format!("{}\nerror: {}", all.message, next.message);
        all.hint = all.hint.or(next.hint);
        all
    })
}

fn nothing(args: &GetArgs, answers: &[Answer]) -> String {
    let namespaced = answers.iter().any(|answer| answer.resource.is_namespaced());
    if !namespaced || args.all_namespaces {
        return "No resources found".to_owned();
    }
    let namespace = args.namespace.as_deref().unwrap_or("default");
    format!("No resources found in {namespace} namespace.")
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

async fn ask(client: &Client, origin: &Origin, args: &GetArgs) -> Result<Answer, Failure> {
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
    let body = fetch(&client, &path, accept).await?;
    Ok(Answer {
        origin: origin.clone(),
        resource,
        body,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_all_members_are_one_with_the_exit_code_they_share() {
        let failure = |cluster, code| named(Some(cluster), Failure::new(code, "gone"));
        let same = [failure("a", exit::NOT_FOUND), failure("b", exit::NOT_FOUND)];
        let all = united(same.into_iter()).unwrap();
        assert_eq!(
            (all.exit, all.message.as_str()),
            (exit::NOT_FOUND, "a: gone\nerror: b: gone")
        );
        let mixed = [
            failure("a", exit::NOT_FOUND),
            failure("b", exit::UNREACHABLE),
        ];
        assert_eq!(united(mixed.into_iter()).unwrap().exit, exit::FAILED);
        assert!(united(std::iter::empty()).is_none());
    }
}
