//! The sizes of ReplicaSets: rolling from old to new, and spreading a changed size over all.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::ReplicaSet;
use serde_json::json;

use super::revision::{DESIRED, MAXIMUM, size_annotations};
use super::strategy::room;
use super::{View, observed, patch_set, scaled, size};
use crate::object::{annotation, name};
use crate::plan::Plan;

/// Whether the wanted size differs from the one the active sets were planned for.
pub(super) fn is_scaling(view: &View<'_>) -> bool {
    view.all().filter(|set| size(set) > 0).any(|set| {
        annotation(&set.metadata, DESIRED)
            .and_then(|text| text.parse::<i32>().ok())
            .is_some_and(|desired| desired != view.replicas())
    })
}

/// How large the new set may be now.
pub(super) fn new_size(view: &View<'_>) -> i32 {
    let wanted = view.replicas();
    if view.recreates() {
        return wanted;
    }
    let present = view.new.map_or(0, size);
    let total: i32 = view.all().map(size).sum();
    let maximum = wanted + room(view.deployment, wanted).surge;
    if total >= maximum {
        return present;
    }
    present + (maximum - total).min(wanted - present)
}

/// Gives `set` the size `to`; does nothing, not even bookkeeping, if it has it.
pub(super) fn resize(view: &View<'_>, set: &ReplicaSet, to: i32, plan: &mut Plan) -> bool {
    let from = size(set);
    let annotations: BTreeMap<&str, String> = size_annotations(view).into_iter().collect();
    let recorded = annotations
        .iter()
        .all(|(key, value)| annotation(&set.metadata, key) == Some(value.as_str()));
    if from == to && recorded {
        return false;
    }
    plan.push(patch_set(
        set,
        &json!({"metadata": {"annotations": annotations}, "spec": {"replicas": to}}),
    ));
    if from != to {
        let direction = if to > from { "up" } else { "down" };
        plan.note(scaled(view, direction, name(&set.metadata), from, to));
    }
    from != to
}

/// Empties every old set; returns whether one was not empty.
pub(super) fn scale_down_all_old(view: &View<'_>, plan: &mut Plan) -> bool {
    let mut any = false;
    for set in view.old.iter().filter(|set| size(set) > 0) {
        any |= resize(view, set, 0, plan);
    }
    any
}

/// One step of a rolling update: grow the new set, else shrink old ones.
pub(super) fn roll(view: &View<'_>, new: &ReplicaSet, plan: &mut Plan) {
    let target = if size(new) > view.replicas() {
        view.replicas()
    } else {
        new_size(view)
    };
    if !resize(view, new, target, plan) {
        shrink_old(view, new, plan);
    }
}

fn shrink_old(view: &View<'_>, new: &ReplicaSet, plan: &mut Plan) {
    let mut sizes: Vec<i32> = view.old.iter().map(|set| size(set)).collect();
    if sizes.iter().sum::<i32>() == 0 {
        return;
    }
    let wanted = view.replicas();
    let minimum = wanted - room(view.deployment, wanted).unavailable;
    let total: i32 = view.all().map(size).sum();
    let new_unavailable = size(new) - observed(new).available;
    let allowed = total - minimum - new_unavailable;
    if allowed <= 0 {
        return;
    }
    // Pods that serve nobody go first: they cost no availability.
    let mut spent = 0;
    for (set, size) in view.old.iter().zip(&mut sizes) {
        let unhealthy = (*size - observed(set).available).max(0);
        let cut = unhealthy.min(allowed - spent);
        *size -= cut;
        spent += cut;
    }
    let available: i32 = view.all().map(|set| observed(set).available).sum();
    let mut healthy = (available - minimum).max(0);
    for size in &mut sizes {
        let cut = (*size).min(healthy);
        *size -= cut;
        healthy -= cut;
    }
    for (set, to) in view.old.iter().zip(sizes) {
        if to != size(set) {
            resize(view, set, to, plan);
        }
    }
}

/// Brings the sets to a changed size without advancing the rollout.
pub(super) fn scale(view: &View<'_>, plan: &mut Plan) {
    let active: Vec<&ReplicaSet> = view.all().filter(|set| size(set) > 0).collect();
    if let [] | [_] = active.as_slice() {
        let only = active
            .first()
            .copied()
            .or(view.new)
            .or_else(|| view.old.last().copied());
        if let Some(set) = only {
            resize(view, set, view.replicas(), plan);
        }
        return;
    }
    if view.new.is_some_and(|new| is_saturated(view, new)) {
        scale_down_all_old(view, plan);
        return;
    }
    if !view.recreates() {
        proportionally(view, active, plan);
    }
}

fn is_saturated(view: &View<'_>, new: &ReplicaSet) -> bool {
    let desired = annotation(&new.metadata, DESIRED).and_then(|text| text.parse().ok());
    let wanted = view.replicas();
    size(new) == wanted && desired == Some(wanted) && observed(new).available == wanted
}

/// Spreads the difference over the active sets in proportion to their sizes.
fn proportionally(view: &View<'_>, mut active: Vec<&ReplicaSet>, plan: &mut Plan) {
    let wanted = view.replicas();
    let surge = room(view.deployment, wanted).surge;
    let allowed = if wanted > 0 { wanted + surge } else { 0 };
    let total: i32 = active.iter().map(|set| size(set)).sum();
    let difference = allowed - total;
    // Largest first; of equals the newer grows and the older shrinks.
    active.sort_by_key(|set| {
        let created = set.metadata.creation_timestamp.as_ref();
        let second = created.map_or(0, |t| t.0.as_second());
        let age = if difference > 0 { -second } else { second };
        (-size(set), age, name(&set.metadata))
    });
    let mut spent = 0;
    let mut sizes: Vec<i32> = Vec::with_capacity(active.len());
    for set in &active {
        let share = if difference == 0 {
            0
        } else {
            share(view, set, allowed, difference, spent)
        };
        sizes.push(size(set) + share);
        spent += share;
    }
    if let Some(first) = sizes.first_mut() {
        *first = (*first + difference - spent).max(0);
    }
    for (set, to) in active.iter().zip(sizes) {
        resize(view, set, to.max(0), plan);
    }
}

fn share(view: &View<'_>, set: &ReplicaSet, allowed: i32, difference: i32, spent: i32) -> i32 {
    let left = difference - spent;
    let fraction = if view.replicas() == 0 {
        -size(set)
    } else {
        let before = annotation(&set.metadata, MAXIMUM)
            .and_then(|text| text.parse::<i32>().ok())
            .filter(|maximum| *maximum > 0)
            .or_else(|| view.deployment.status.as_ref().and_then(|s| s.replicas))
            .unwrap_or(1)
            .max(1);
        let (size, allowed, before) = (i64::from(size(set)), i64::from(allowed), i64::from(before));
        // Round half up, as upstream does with non-negative values.
        let scaled = (2 * size * allowed + before).div_euclid(2 * before);
        i32::try_from(scaled - size).unwrap_or(0)
    };
    if difference > 0 {
        fraction.min(left)
    } else {
        fraction.max(left)
    }
}
