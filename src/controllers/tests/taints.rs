//! Eviction decisions and readiness thresholds against recorded cases.
//!
//! Reads `taints.jsonl` of the directory that `VECTORS_DIR` names, or the copy of the repository.

use std::path::PathBuf;
use std::time::Duration;

use flybridge_apis::Cluster;
use flybridge_controllers::Options;
use flybridge_controllers::cluster_status::readiness::Readiness;
use flybridge_controllers::failover::decision::{Decision, decide};
use k8s_openapi::api::core::v1::Toleration;
use serde_json::{Value, json};

fn cases(kind: &str) -> Vec<Value> {
    let directory = std::env::var_os("VECTORS_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data")),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(directory.join("taints.jsonl")).expect("the cases exist");
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a case is JSON"))
        .filter(|case| case["input"]["kind"] == kind)
        .collect()
}

#[test]
fn evictions_are_decided_as_recorded() {
    let cases = cases("eviction");
    assert!(cases.len() >= 100);
    for case in cases {
        let input = &case["input"];
        let cluster: Cluster = serde_json::from_value(input["cluster"].clone()).unwrap();
        let tolerations: Vec<Toleration> =
            serde_json::from_value(input["tolerations"].clone()).unwrap_or_default();
        let now = input["now"].as_str().unwrap().parse().unwrap();
        let decision = if input["enableNoExecuteTaintEviction"] == true {
            decide(&cluster.spec.taints, &tolerations, now)
        } else {
            Decision::Never
        };
        let actual = match decision {
            Decision::Now => json!({"decision": "EvictNow"}),
            Decision::Never => json!({"decision": "Never"}),
            Decision::After(left) => {
                json!({"decision": "EvictAfter", "afterSeconds": left.as_secs()})
            }
        };
        assert_eq!(actual, case["output"], "{case:#}");
    }
}

#[tokio::test(start_paused = true)]
async fn readiness_is_held_back_as_recorded() {
    let cases = cases("readyThreshold");
    assert!(cases.len() >= 100);
    for case in cases {
        let input = &case["input"];
        let seconds = |field: &str| {
            let seconds = input[field].as_u64();
            Duration::from_secs(seconds.unwrap_or_default())
        };
        let options = Options {
            success_threshold: seconds("successThresholdSeconds"),
            failure_threshold: seconds("failureThresholdSeconds"),
            ..Options::default()
        };
        let mut readiness = Readiness::default();
        let mut shown = input["initialReady"].as_str().map(str::to_owned);
        let mut at = 0;
        let mut written = Vec::new();
        for probe in input["probes"].as_array().unwrap() {
            let next = probe["atMilliseconds"].as_u64().unwrap();
            tokio::time::advance(Duration::from_millis(next - at)).await;
            at = next;
            let observed = probe["observed"].as_str().unwrap();
            let status = readiness
                .judge(observed, shown.as_deref(), &options)
                .to_owned();
            written.push(status.clone());
            shown = Some(status);
        }
        assert_eq!(json!(written), case["output"]["ready"], "{case:#}");
    }
}
