//! YAML and logs of the made-up fleet.

use flybridge_ui::log::LogLine;
use jiff::{SignedDuration, Timestamp};

use crate::effect::LogRequest;
use crate::rows::ObjectRef;

pub(super) fn yaml(object: &ObjectRef) -> String {
    let api = if object.group.is_empty() {
        object.version.clone()
    } else {
        format!("{}/{}", object.group, object.version)
    };
    let mut text = format!(
        "apiVersion: {api}\nkind: {}\nmetadata:\n  name: {}\n",
        object.kind, object.name
    );
    if !object.namespace.is_empty() {
        text.push_str(&format!("  namespace: {}\n", object.namespace));
    }
    text.push_str(SPEC);
    text
}

const SPEC: &str = r#"  labels:
    app: ledger
    tier: "1"
  annotations:
    policy.karmada.io/applied-placement: >-
      {"clusterAffinity":{"labelSelector":{"matchLabels":{"tier":"gold"}}}}
  generation: 3
  resourceVersion: "88120431"
  uid: 0b0c9f5e-4f0e-4a58-9d0c-2f7f3a1f2f11
spec:
  replicas: 12
  paused: false
  selector:
    matchLabels:
      app: ledger
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 25%
      maxUnavailable: 0
  template:
    metadata:
      labels:
        app: ledger
    spec:
      containers:
        - name: ledger
          image: registry.example.net/payments/ledger:1.14.2
          args: ["--listen=:8080", "--pool=16"]
          ports:
            - name: http
              containerPort: 8080
          resources:
            requests:
              cpu: 250m
              memory: 512Mi
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 5
      serviceAccountName: ledger
      nodeSelector: {}
      terminationGracePeriodSeconds: 30
status:
  observedGeneration: 3
  readyReplicas: 12
  conditions:
    - type: Available
      status: "True"
      reason: MinimumReplicasAvailable
      message: Deployment has minimum availability.
  collisionCount: null
"#;

/// Lines of a busy service.
pub(super) fn log(request: &LogRequest, now: Timestamp) -> Vec<LogLine> {
    const LINES: &[&str] = &[
        "INFO  GET /v1/accounts/4411 200 12ms trace=8f31c2",
        "INFO  batch 8812 committed entries=214 took=14ms",
        "INFO  GET /v1/pay 200 31ms trace=8f31c9",
        "DEBUG pool size=16 busy=5 waiting=0",
        "INFO  batch 8813 committed entries=198 took=12ms",
        "WARN  replica lag 2.1s upstream=ledger-db-1 threshold=1.5s",
        "INFO  GET /v1/pay 200 28ms trace=8f31d4",
        "ERROR upstream timeout after 2s upstream=ledger-db-1 attempt=1 retry_in=250ms",
        "INFO  retry ok upstream=ledger-db-0 took=41ms",
        "INFO  GET /v1/accounts/17 200 9ms trace=8f31e0",
    ];
    (0_i64..120)
        .zip(LINES.iter().cycle())
        .map(|(i, line)| {
            let back = SignedDuration::from_millis((120 - i) * 430);
            let at = now.checked_sub(back).unwrap_or(now);
            let time = at.strftime("%H:%M:%S%.3f").to_string();
            LogLine::new(time, format!("{}: {line}", request.container))
        })
        .collect()
}
