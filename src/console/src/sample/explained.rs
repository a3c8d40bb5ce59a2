//! Explanations as the scheduler would give them.

use flybridge_ui::Mark;
use jiff::Timestamp;

use super::{bindings, clusters};
use crate::explanation::{ClusterVerdict, Explanation, Round, Verdict};
use crate::rows::{BindingRow, ObjectRef, Tri};

const FILTERS: [&str; 5] = [
    "APIEnablement",
    "TaintToleration",
    "ClusterAffinity",
    "SpreadConstraint",
    "ClusterEviction",
];

const AFFINITY: &str = "cluster(s) did not match the placement cluster affinity constraint: label selector wants tier=gold";

pub(super) fn explain(binding: &ObjectRef, now: Timestamp) -> Explanation {
    let rows = bindings::rows(now);
    let Some(row) = rows.iter().find(|row| row.name == binding.name) else {
        return Explanation::default();
    };
    let placed = row.scheduled == Tri::True;
    let clusters: Vec<ClusterVerdict> = clusters::names().map(|name| verdict(row, name)).collect();
    let fit = clusters.iter().filter(|c| c.fits()).count();
    let divided = row.replicas > 0;
    Explanation {
        mark: if placed { Mark::Ok } else { Mark::Bad },
        summary: if placed {
            let chosen = row.targets.iter().filter(|t| !t.evicting).count();
            let among = format!("{chosen} of the {fit} clusters that fit, out of 9");
            if divided {
                format!("{} replicas divided over {among}", row.replicas)
            } else {
                format!("propagated to {among}")
            }
        } else if fit > 0 {
            format!(
                "not placed: the {fit} clusters that fit have room for 40 of {} replicas",
                row.replicas
            )
        } else {
            "not placed: none of 9 clusters fits; the closest is one filter away".to_owned()
        },
        header: [
            (
                "trigger",
                "none: nothing has changed since it was scheduled".to_owned(),
            ),
            (
                "strategy",
                if divided {
                    "Divided, dynamic weights".to_owned()
                } else {
                    "Duplicated".to_owned()
                },
            ),
            (
                "replicas",
                if divided {
                    row.replicas.to_string()
                } else {
                    "not a workload".to_owned()
                },
            ),
            ("policy", row.policy.clone()),
            (
                "recorded",
                format!("{}, agrees with what is computed now", row.reason),
            ),
        ]
        .map(|(label, text)| (label.to_owned(), text))
        .to_vec(),
        filters: FILTERS.map(ToOwned::to_owned).to_vec(),
        rounds: if divided && placed {
            rounds(row)
        } else {
            Vec::new()
        },
        clusters,
    }
}

fn verdict(row: &BindingRow, name: &str) -> ClusterVerdict {
    let fail = |text: &str| Verdict::Fail(text.to_owned());
    let mut verdicts = vec![Verdict::Pass; FILTERS.len()];
    let wants_gold = row.resource == "indexer";
    match name {
        "ams-prod-1" => {
            verdicts[1] =
                fail("cluster(s) had untolerated taint {cluster.karmada.io/not-ready:NoSchedule}");
        }
        "lon-prod-2" => {
            verdicts[1] = fail("cluster(s) had untolerated taint {maintenance=planned:NoSchedule}");
        }
        _ if name.contains("edge") && row.kind != "DaemonSet" => {
            verdicts[2] = fail(AFFINITY);
        }
        _ => {}
    }
    if wants_gold && !name.starts_with("ams") {
        verdicts[2] = fail(AFFINITY);
    }
    if wants_gold && name == "ams-prod-2" {
        verdicts[0] = fail("cluster(s) did not have the API resource");
    }
    let target = row.targets.iter().find(|t| t.cluster == name);
    if target.is_some_and(|t| t.evicting) {
        verdicts[4] = fail("cluster(s) is in the process of eviction");
    }
    let fits = !verdicts.iter().any(|v| matches!(v, Verdict::Fail(_)));
    let before = target.map_or(0, |t| i64::from(t.replicas));
    let room = match row.resource.as_str() {
        "train" => 10,
        _ if name.ends_with('1') => 37,
        _ => 24,
    };
    ClusterVerdict {
        name: name.to_owned(),
        verdicts,
        score: fits.then_some(if before > 0 { 100 } else { 0 }),
        scores: if fits {
            vec![
                (
                    "ClusterLocality".to_owned(),
                    if before > 0 { 100 } else { 0 },
                ),
                ("ClusterAffinity".to_owned(), 0),
            ]
        } else {
            Vec::new()
        },
        room: (fits && row.replicas > 0).then_some(room),
        before,
        after: (fits && target.is_some()).then_some(before),
        notes: match (fits, target) {
            (true, Some(t)) => vec![format!("chosen: {} replicas, as before", t.replicas)],
            (true, None) if row.targets.is_empty() => {
                vec!["fits, but there is not room for all replicas".to_owned()]
            }
            (true, None) => {
                vec!["fits, but the others have enough room for all replicas".to_owned()]
            }
            (false, _) => Vec::new(),
        },
    }
}

fn rounds(row: &BindingRow) -> Vec<Round> {
    let stay: Vec<&crate::rows::Target> = row.targets.iter().filter(|t| !t.evicting).collect();
    let weights: Vec<String> = stay
        .iter()
        .map(|t| format!("{} {}", t.cluster, t.replicas + 20))
        .collect();
    let gives: Vec<String> = stay
        .iter()
        .map(|t| format!("{} {}", t.cluster, t.replicas))
        .collect();
    vec![
        Round {
            title: "weights: available replicas, and what is there already".to_owned(),
            lines: vec![weights.join(", ")],
        },
        Round {
            title: "floor of each share, remainder to the largest weights".to_owned(),
            lines: vec![gives.join(", ")],
        },
    ]
}
