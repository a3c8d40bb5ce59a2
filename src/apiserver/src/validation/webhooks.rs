//! Registrations of admission webhooks and the structure of admission policies.

use flybridge_machinery::names;
use serde_json::Value;

use super::findings::{At, Findings};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const REVIEWS: [&str; 2] = ["v1", "v1beta1"];
const MAX_SECONDS: i64 = 30;

/// A `ValidatingWebhookConfiguration` or `MutatingWebhookConfiguration`.
pub(super) fn configuration(object: &At<'_>, findings: &mut Findings) {
    for hook in object.list("webhooks") {
        webhook(&hook, findings);
    }
    findings.unique(object.list("webhooks").iter().map(|hook| hook.get("name")));
}

fn webhook(hook: &At<'_>, findings: &mut Findings) {
    let name = hook.get("name");
    if findings.require(&name) {
        findings.name(&name, names::dns1123_subdomain);
        if name.text().split('.').count() < 3 {
            findings.invalid(
                &name,
                "should be a domain with at least three segments separated by dots",
            );
        }
    }
    reviews(&hook.get("admissionReviewVersions"), findings);
    let effects = hook.get("sideEffects");
    if effects.is_blank() {
        findings.required(&effects, "must specify one of None, NoneOnDryRun");
    } else {
        findings.one_of(&effects, &["None", "NoneOnDryRun"]);
    }
    let timeout = hook.get("timeoutSeconds");
    if timeout
        .integer()
        .is_some_and(|seconds| !(1..=MAX_SECONDS).contains(&seconds))
    {
        findings.invalid(
            &timeout,
            "the timeout value must be between 1 and 30 seconds",
        );
    }
    findings.one_of(&hook.get("failurePolicy"), &["Fail", "Ignore"]);
    findings.one_of(&hook.get("matchPolicy"), &["Equivalent", "Exact"]);
    for rule in hook.list("rules") {
        self::rule(&rule, findings);
    }
    for condition in hook.list("matchConditions") {
        findings.required_name(&condition.get("name"), names::qualified_name);
        findings.require(&condition.get("expression"));
    }
    client(&hook.get("clientConfig"), findings);
}

fn reviews(versions: &At<'_>, findings: &mut Findings) {
    let listed = versions.items();
    if listed.is_empty() {
        findings.required(versions, "must specify one of v1, v1beta1");
    } else if !listed
        .iter()
        .any(|version| REVIEWS.contains(&version.text()))
    {
        findings.invalid(versions, "must include at least one of v1, v1beta1");
    }
}

fn rule(rule: &At<'_>, findings: &mut Findings) {
    for field in ["apiGroups", "apiVersions", "resources", "operations"] {
        let list = rule.get(field);
        if list.is_blank() {
            findings.required(&list, "");
        }
        if field != "resources"
            && list.items().len() > 1
            && list.items().iter().any(|item| item.text() == "*")
        {
            findings.invalid(&list, "if '*' is present, must not specify other values");
        }
    }
    for version in rule.list("apiVersions") {
        findings.require(&version);
    }
    for operation in rule.list("operations") {
        findings.one_of(&operation, &OPERATIONS);
    }
    findings.one_of(&rule.get("scope"), &["*", "Cluster", "Namespaced"]);
}

fn client(config: &At<'_>, findings: &mut Findings) {
    let (url, service) = (config.get("url"), config.get("service"));
    if url.is_set() == service.is_set() {
        return findings.required(config, "exactly one of url or service is required");
    }
    if url.is_set() {
        self::url(&url, findings);
        return;
    }
    findings.require(&service.get("name"));
    // Upstream tells a missing namespace as a missing name.
    findings.require(&service.get("namespace").told_as(service.get("name").path));
    findings.port(&service.get("port"));
    let path = service.get("path");
    if !path.is_blank() && !path.text().starts_with('/') {
        findings.invalid(&path, "must start with a '/'");
    }
}

fn url(url: &At<'_>, findings: &mut Findings) {
    let Some(rest) = url.text().strip_prefix("https://") else {
        return findings.invalid(url, "'https' is the only allowed URL scheme");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() {
        findings.invalid(url, "host must be specified");
    }
    for (found, detail) in [
        (
            host.contains('@'),
            "user information is not permitted in the URL",
        ),
        (
            rest.contains('?'),
            "query parameters are not permitted in the URL",
        ),
        (rest.contains('#'), "fragments are not permitted in the URL"),
    ] {
        if found {
            findings.invalid(url, detail);
        }
    }
}

/// A `ValidatingAdmissionPolicy`; expressions are not compiled here.
pub(super) fn policy(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    findings.one_of(&spec.get("failurePolicy"), &["Fail", "Ignore"]);
    let (validations, annotations) = (spec.get("validations"), spec.get("auditAnnotations"));
    if validations.is_blank() && annotations.is_blank() {
        let detail = "validations or auditAnnotations must contain at least one item";
        findings.required(&validations, detail);
        findings.required(&annotations, detail);
    }
    for validation in validations.items() {
        findings.require(&validation.get("expression"));
    }
    for variable in spec.list("variables") {
        let name = variable.get("name");
        if findings.require(&name) && !is_identifier(name.value) {
            findings.invalid(&name, "must be a valid CEL identifier");
        }
    }
}

fn is_identifier(name: &Value) -> bool {
    let text = name.as_str().unwrap_or_default();
    !text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A `FlowSchema`.
pub(super) fn flow_schema(object: &At<'_>, findings: &mut Findings) {
    let spec = object.get("spec");
    let precedence = spec.get("matchingPrecedence");
    if precedence.integer().is_some_and(|number| number > 10_000) {
        findings.invalid(&precedence, "must not be greater than 10000");
    }
    for rule in spec.list("rules") {
        if rule.get("subjects").is_blank() {
            findings.required(
                &rule.get("subjects"),
                "subjects must contain at least one value",
            );
        }
        if rule.get("resourceRules").is_blank() && rule.get("nonResourceRules").is_blank() {
            findings.required(
                &rule,
                "at least one of resourceRules and nonResourceRules has to be non-empty",
            );
        }
    }
}
