//! The Webster method.

use flybridge_scheduler::webster::divide_by_name;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Verdict, part, same};

#[derive(Deserialize)]
struct Weight {
    name: String,
    weight: u64,
}

#[derive(Deserialize)]
struct Seats {
    name: String,
    #[serde(default)]
    replicas: u64,
}

pub(super) fn run(case: &Value) -> anyhow::Result<Verdict> {
    let input = &case["input"];
    let weights: Vec<Weight> = part(input, "weights")?;
    let previous: Vec<Seats> = part(input, "previous")?;
    let weights: Vec<(String, u64)> = weights
        .into_iter()
        .map(|party| (party.name, party.weight))
        .collect();
    let previous: Vec<(String, u64)> = previous
        .into_iter()
        .map(|party| (party.name, party.replicas))
        .collect();
    let seats: u64 = part(input, "replicas")?;
    let uid: String = part(input, "uid")?;
    let got: Value = divide_by_name(seats, &weights, &previous, &uid)
        .into_iter()
        .map(|(name, replicas)| json!({ "name": name, "replicas": replicas }))
        .collect();
    same(&got, &case["output"])
}
