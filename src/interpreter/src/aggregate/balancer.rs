//! Services and Ingresses: the members' load-balancer addresses together.

use k8s_openapi::api::core::v1::{Service, ServiceStatus};
use k8s_openapi::api::networking::v1::{Ingress, IngressStatus};
use serde_json::{Value, json};

use crate::Result;
use crate::decode::{self, Item};

pub(super) fn service(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<Service>(object)?;
    if object["spec"]["type"] != "LoadBalancer" {
        return Ok(None);
    }
    let mut points = Vec::new();
    for item in items {
        let status = item.status::<ServiceStatus>()?.unwrap_or_default();
        let balancer = status.load_balancer.unwrap_or_default();
        points.extend(
            balancer
                .ingress
                .into_iter()
                .flatten()
                .map(|point| json!(point)),
        );
    }
    Ok(Some(merged(points)))
}

pub(super) fn ingress(object: &Value, items: &[Item]) -> Result<Option<Value>> {
    decode::object::<Ingress>(object)?;
    let mut points = Vec::new();
    for item in items {
        let status = item.status::<IngressStatus>()?.unwrap_or_default();
        let balancer = status.load_balancer.unwrap_or_default();
        points.extend(
            balancer
                .ingress
                .into_iter()
                .flatten()
                .map(|point| json!(point)),
        );
    }
    Ok(Some(merged(points)))
}

/// One entry an address, with the ports of all that have it, in a fixed order.
fn merged(points: Vec<Value>) -> Value {
    let mut merged: Vec<Value> = Vec::new();
    for mut point in points {
        let same = merged
            .iter_mut()
            .find(|have| address(have) == address(&point));
        match same {
            Some(have) => {
                for port in ports(&mut point) {
                    if !ports_of(have).contains(&port) {
                        have["ports"] = json!([ports_of(have), &[port]].concat());
                    }
                }
            }
            None => merged.push(point),
        }
    }
    for point in &mut merged {
        let mut sorted = ports(point);
        if !sorted.is_empty() {
            sorted.sort_by_key(port_order);
            point["ports"] = Value::Array(sorted);
        }
    }
    merged.sort_by_key(point_order);
    if merged.is_empty() {
        json!({"loadBalancer": {}})
    } else {
        json!({"loadBalancer": {"ingress": merged}})
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn address(point: &Value) -> (String, String, Option<String>) {
    let mode = point["ipMode"].as_str().map(str::to_owned);
    (text(&point["hostname"]), text(&point["ip"]), mode)
}

/// Entries with a host name first; a missing mode sorts last.
fn point_order(point: &Value) -> (bool, String, String, bool, String) {
    let (hostname, ip, mode) = address(point);
    let (no_host, no_mode) = (hostname.is_empty(), mode.is_none());
    (no_host, hostname, ip, no_mode, mode.unwrap_or_default())
}

fn ports_of(point: &Value) -> &[Value] {
    point["ports"].as_array().map_or(&[], Vec::as_slice)
}

fn ports(point: &mut Value) -> Vec<Value> {
    match point.get_mut("ports").map(Value::take) {
        Some(Value::Array(ports)) => ports,
        _ => Vec::new(),
    }
}

fn port_order(port: &Value) -> (i64, String, bool, String) {
    let error = port["error"].as_str();
    (
        port["port"].as_i64().unwrap_or_default(),
        text(&port["protocol"]),
        error.is_some(),
        error.unwrap_or_default().to_owned(),
    )
}
