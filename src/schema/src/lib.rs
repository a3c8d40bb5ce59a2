//! Structural schemas, defaulting, pruning, validation, protobuf bodies, OpenAPI.
