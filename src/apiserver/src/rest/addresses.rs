//! Cluster addresses and node ports of services: each in use once.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use flybridge_machinery::{FieldError, object};
use serde_json::{Value, json};

use super::{Call, pipeline};
use crate::record;
use crate::registry::Definition;
use crate::request::Answer;
use crate::server::ApiServer;

/// The first two octets of every cluster address.
const RANGE: [u8; 2] = [10, 96];
/// Addresses in the range; the first is the server's own.
const ADDRESSES: u64 = 1 << 16;
const NODE_PORTS: std::ops::RangeInclusive<i64> = 30_000..=32_767;

/// Addresses and ports that a write has chosen and not committed yet.
#[derive(Debug)]
pub(crate) struct Reservation {
    server: ApiServer,
    held: Vec<String>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut pending = self.server.inner.pending_addresses.lock();
        for held in &self.held {
            pending.remove(held);
        }
    }
}

/// What other services use.
struct Taken {
    addresses: BTreeSet<String>,
    ports: BTreeSet<i64>,
}

/// Gives a service that is about to be stored what it needs and checks what it asks for. The result
/// is to be kept until the write is done.
///
/// # Errors
/// 422 if something it asks for is in use or out of range.
pub(crate) fn allocate(call: &Call, old: Option<&Value>, new: &mut Value) -> Answer<Reservation> {
    let mut reservation = Reservation {
        server: call.server.clone(),
        held: Vec::new(),
    };
    let mut pending = call.server.inner.pending_addresses.lock();
    let mut taken = in_use(call)?;
    taken.addresses.extend(pending.iter().cloned());
    taken
        .ports
        .extend(pending.iter().filter_map(|held| held.parse::<i64>().ok()));
    let mut errors = Vec::new();
    address(call, old, new, &taken, &mut errors);
    ports(call, old, new, &mut taken, &mut errors);
    pipeline::refuse(call, new, &errors)?;
    let numbers = object::path_list(new, &["spec", "ports"])
        .iter()
        .filter_map(|port| port["nodePort"].as_i64());
    let addresses = object::path_str(new, &["spec", "clusterIP"]).map(str::to_owned);
    reservation.held = numbers
        .map(|port| port.to_string())
        .chain(addresses)
        .collect();
    pending.extend(reservation.held.iter().cloned());
    drop(pending);
    Ok(reservation)
}

fn in_use(call: &Call) -> Answer<Taken> {
    let mut taken = Taken {
        addresses: BTreeSet::new(),
        ports: BTreeSet::new(),
    };
    let snapshot = call.snapshot();
    let own = call.definition.record_name(&call.namespace, &call.name);
    for (name, record) in snapshot.range(&Definition::bucket_of("", "services"), "", None) {
        if **name == *own {
            continue;
        }
        let service = record::decode(&record.value)?;
        taken
            .addresses
            .extend(object::path_str(&service, &["spec", "clusterIP"]).map(str::to_owned));
        let ports = object::path_list(&service, &["spec", "ports"]);
        taken
            .ports
            .extend(ports.iter().filter_map(|port| port["nodePort"].as_i64()));
    }
    Ok(taken)
}

fn kind(service: &Value) -> &str {
    object::path_str(service, &["spec", "type"]).unwrap_or("ClusterIP")
}

fn is_exposed(service: &Value) -> bool {
    matches!(kind(service), "NodePort" | "LoadBalancer")
}

fn address(
    call: &Call,
    old: Option<&Value>,
    new: &mut Value,
    taken: &Taken,
    errors: &mut Vec<FieldError>,
) {
    if kind(new) == "ExternalName" {
        let had_one = old.is_some_and(|old| kind(old) != "ExternalName");
        for field in [
            "clusterIP",
            "clusterIPs",
            "ipFamilies",
            "ipFamilyPolicy",
            "internalTrafficPolicy",
        ] {
            if had_one {
                object::remove_path(new, &["spec", field]);
            }
        }
        return;
    }
    let given = object::path_str(new, &["spec", "clusterIP"])
        .unwrap_or_default()
        .to_owned();
    let kept =
        old.and_then(|old| object::path_str(old, &["spec", "clusterIP"])) == Some(given.as_str());
    if given == "None" || (!given.is_empty() && kept) {
        return set_address(new, &given);
    }
    if given.is_empty() {
        let server = &call.server.inner;
        let start = server.ids.below(ADDRESSES);
        let candidates = (0..ADDRESSES)
            .map(|step| (start + step) % ADDRESSES)
            .filter(|host| *host > 1);
        let texts = candidates.map(|host| {
            let [.., high, low] = u32::try_from(host).unwrap_or_default().to_be_bytes();
            Ipv4Addr::new(RANGE[0], RANGE[1], high, low).to_string()
        });
        if let Some(free) = texts
            .into_iter()
            .find(|text| !taken.addresses.contains(text))
        {
            set_address(new, &free);
        }
        return;
    }
    set_address(new, &given);
    let Ok(address) = given.parse::<Ipv4Addr>() else {
        let why = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
        errors.push(FieldError::invalid("spec.clusterIPs[0]", given, why));
        return;
    };
    let refuse = |why: &str| {
        let text = format!("failed to allocate IP {given}: {why}");
        FieldError::invalid("spec.clusterIPs", json!([given]), &text)
    };
    if address.octets()[..2] != RANGE {
        errors.push(refuse(
            "the provided network does not match the current range",
        ));
    } else if taken.addresses.contains(&given) {
        errors.push(refuse("provided IP is already allocated"));
    }
}

fn set_address(service: &mut Value, address: &str) {
    service["spec"]["clusterIP"] = json!(address);
    service["spec"]["clusterIPs"] = json!([address]);
}

fn ports(
    call: &Call,
    old: Option<&Value>,
    new: &mut Value,
    taken: &mut Taken,
    errors: &mut Vec<FieldError>,
) {
    let former = old
        .map(|old| object::path_list(old, &["spec", "ports"]).to_vec())
        .unwrap_or_default();
    let was_exposed = old.is_some_and(is_exposed);
    if !is_exposed(new) {
        if was_exposed {
            object::remove_path(new, &["spec", "externalTrafficPolicy"]);
            for port in new["spec"]
                .get_mut("ports")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                object::remove_path(port, &["nodePort"]);
            }
        }
        return;
    }
    for (index, port) in new["spec"]
        .get_mut("ports")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let same =
            |other: &&Value| other["port"] == port["port"] && other["protocol"] == port["protocol"];
        let before = former
            .iter()
            .find(same)
            .and_then(|other| other["nodePort"].as_i64());
        let given = port["nodePort"].as_i64().filter(|number| *number != 0);
        let chosen = given.or(before).unwrap_or_else(|| free_port(call, taken));
        port["nodePort"] = json!(chosen);
        let path = format!("spec.ports[{index}].nodePort");
        if !NODE_PORTS.contains(&chosen) {
            let why =
                "provided port is not in the valid range. The range of valid ports is 30000-32767";
            errors.push(FieldError::invalid(path, chosen, why));
        } else if !taken.ports.insert(chosen) {
            errors.push(FieldError::invalid(
                path,
                chosen,
                "provided port is already allocated",
            ));
        }
    }
}

fn free_port(call: &Call, taken: &Taken) -> i64 {
    let (first, last) = (*NODE_PORTS.start(), *NODE_PORTS.end());
    let count = last - first + 1;
    let start = i64::try_from(call.server.inner.ids.below(count.unsigned_abs())).unwrap_or(0);
    (0..count)
        .map(|step| first + (start + step) % count)
        .find(|port| !taken.ports.contains(port))
        .unwrap_or(first)
}
