//! Services and their endpoints.

use flybridge_machinery::object::{get_path, path_i64, path_list, path_str};
use jiff::Timestamp;
use serde_json::Value;

use super::{AGE, NAME, Printer, cell, text, wide};

pub(super) const SERVICES: Printer = Printer::new(
    &[
        NAME,
        text("Type"),
        text("Cluster-IP"),
        text("External-IP"),
        text("Port(s)"),
        AGE,
        wide("Selector"),
    ],
    service,
);

pub(super) const ENDPOINTS: Printer = Printer::new(&[NAME, text("Endpoints"), AGE], endpoints);

pub(super) const ENDPOINT_SLICES: Printer = Printer::new(
    &[
        NAME,
        text("AddressType"),
        text("Ports"),
        text("Endpoints"),
        AGE,
    ],
    endpoint_slice,
);

fn service(service: &Value, now: Timestamp) -> Vec<Value> {
    vec![
        cell::name(service),
        cell::string(service, &["spec", "type"]),
        cell::string_or(service, &["spec", "clusterIP"], "<none>"),
        external_ip(service).into(),
        ports(service),
        cell::age(service, now),
        cell::labels(get_path(service, &["spec", "selector"])),
    ]
}

fn external_ip(service: &Value) -> String {
    let external = path_list(service, &["spec", "externalIPs"])
        .iter()
        .filter_map(|ip| ip.as_str().map(str::to_owned));
    let (mut addresses, placeholder) = match path_str(service, &["spec", "type"]) {
        Some("ClusterIP" | "NodePort") => (Vec::new(), "<none>"),
        Some("LoadBalancer") => (cell::load_balancer(service), "<pending>"),
        Some("ExternalName") => {
            return path_str(service, &["spec", "externalName"])
                .unwrap_or_default()
                .to_owned();
        }
        _ => return "<unknown>".to_owned(),
    };
    addresses.extend(external);
    if addresses.is_empty() {
        placeholder.to_owned()
    } else {
        addresses.join(",")
    }
}

fn ports(service: &Value) -> Value {
    let ports: Vec<String> = path_list(service, &["spec", "ports"])
        .iter()
        .map(|port| {
            let number = cell::number(port, &["port"]);
            let protocol = path_str(port, &["protocol"]).unwrap_or("TCP");
            match path_i64(port, &["nodePort"]) {
                Some(node_port) if node_port > 0 => format!("{number}:{node_port}/{protocol}"),
                _ => format!("{number}/{protocol}"),
            }
        })
        .collect();
    if ports.is_empty() {
        "<none>".into()
    } else {
        ports.join(",").into()
    }
}

fn host_port(ip: &str, port: i64) -> String {
    if ip.contains(':') {
        format!("[{ip}]:{port}")
    } else {
        format!("{ip}:{port}")
    }
}

fn endpoints(endpoints: &Value, now: Timestamp) -> Vec<Value> {
    let mut found = Vec::new();
    for subset in path_list(endpoints, &["subsets"]) {
        let addresses = path_list(subset, &["addresses"]);
        let ips = || {
            addresses
                .iter()
                .filter_map(|address| path_str(address, &["ip"]))
        };
        let ports = path_list(subset, &["ports"]);
        if ports.is_empty() {
            found.extend(ips().map(str::to_owned));
        }
        for port in ports {
            let number = cell::number(port, &["port"]);
            found.extend(ips().map(|ip| host_port(ip, number)));
        }
    }
    let empty = if path_list(endpoints, &["subsets"]).is_empty() {
        "<none>"
    } else {
        ""
    };
    vec![
        cell::name(endpoints),
        cell::shortened(&found, 3, ",", empty),
        cell::age(endpoints, now),
    ]
}

fn endpoint_slice(slice: &Value, now: Timestamp) -> Vec<Value> {
    let ports: Vec<String> = path_list(slice, &["ports"])
        .iter()
        .map(|port| match path_i64(port, &["port"]) {
            Some(number) => number.to_string(),
            None => path_str(port, &["name"]).unwrap_or("*").to_owned(),
        })
        .collect();
    let addresses: Vec<String> = path_list(slice, &["endpoints"])
        .iter()
        .flat_map(|endpoint| path_list(endpoint, &["addresses"]))
        .filter_map(|address| address.as_str().map(str::to_owned))
        .collect();
    vec![
        cell::name(slice),
        cell::string(slice, &["addressType"]),
        cell::shortened(&ports, 3, ",", "<unset>"),
        cell::shortened(&addresses, 3, ",", "<unset>"),
        cell::age(slice, now),
    ]
}
