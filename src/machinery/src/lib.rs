//! Kubernetes object model: GVK/GVR, metadata, selectors, quantities, Status, JSONPath, table rows.
