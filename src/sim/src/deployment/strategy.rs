//! The numbers a rollout strategy allows.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// Whether the old pods go before the new ones come.
pub(super) fn recreates(deployment: &Deployment) -> bool {
    deployment
        .spec
        .strategy
        .as_ref()
        .is_some_and(|strategy| strategy.type_.as_deref() == Some("Recreate"))
}

/// How far a rollout may go above and below the wanted size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Pods above the wanted size.
    pub surge: i32,
    /// Pods that may be missing from it.
    pub unavailable: i32,
}

/// The room of a deployment of `replicas` pods.
///
/// Source: upstream rounds surge up and unavailable down, and takes 1 unavailable if both are 0.
pub(super) fn room(deployment: &Deployment, replicas: i32) -> Room {
    if recreates(deployment) {
        return Room {
            surge: 0,
            unavailable: 0,
        };
    }
    let rolling = deployment
        .spec
        .strategy
        .as_ref()
        .and_then(|strategy| strategy.rolling_update.as_ref());
    let quarter = IntOrString::String("25%".to_owned());
    let surge = rolling
        .and_then(|r| r.max_surge.as_ref())
        .unwrap_or(&quarter);
    let unavailable = rolling
        .and_then(|r| r.max_unavailable.as_ref())
        .unwrap_or(&quarter);
    let surge = resolve(surge, replicas, true);
    let mut unavailable = resolve(unavailable, replicas, false);
    if surge == 0 && unavailable == 0 {
        unavailable = 1;
    }
    Room {
        surge,
        unavailable: unavailable.min(replicas),
    }
}

/// A count or a percentage of `total`.
pub(crate) fn resolve(value: &IntOrString, total: i32, round_up: bool) -> i32 {
    match value {
        IntOrString::Int(count) => *count,
        IntOrString::String(text) => {
            let percent: i64 = text.trim_end_matches('%').parse().unwrap_or(0);
            let scaled = percent * i64::from(total);
            let whole = if round_up {
                (scaled + 99).div_euclid(100)
            } else {
                scaled.div_euclid(100)
            };
            i32::try_from(whole).unwrap_or(i32::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::deployment;

    #[test]
    fn surge_rounds_up_and_unavailable_rounds_down() {
        let room = room(&deployment("web", 3), 3);
        assert_eq!(
            room,
            Room {
                surge: 1,
                unavailable: 0
            }
        );
    }

    #[test]
    fn one_pod_may_be_missing_when_nothing_else_is_allowed() {
        let mut deployment = deployment("web", 3);
        let strategy = deployment.spec.strategy.as_mut().unwrap();
        let rolling = strategy.rolling_update.as_mut().unwrap();
        rolling.max_surge = Some(IntOrString::Int(0));
        rolling.max_unavailable = Some(IntOrString::String("10%".to_owned()));
        assert_eq!(
            room(&deployment, 3),
            Room {
                surge: 0,
                unavailable: 1
            }
        );
    }
}
