//! What can be wrong with a schema or with the bytes of a body.

/// A schema document that does not read as a schema.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The document is not a schema object.
    #[error("schema does not parse: {0}")]
    Parse(#[source] serde_json::Error),
    /// A reference names nothing.
    #[error("schema reference {0} names no definition")]
    Reference(String),
}

/// A value whose JSON kind does not fit the type of its field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("json: cannot unmarshal {found} into Go struct field {path} of type {expected}")]
pub struct TypeError {
    /// Where, such as `spec.replicas`.
    pub path: String,
    /// What was there: `string`, `number`, `bool`, `array`, `object`.
    pub found: &'static str,
    /// What the field holds: `string`, `int32`, `bool`, `[]v1.Container`, `map[string]string`, …
    pub expected: String,
}

/// A body that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The content type is none this server reads (415).
    #[error(
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"
    )]
    Media(String),
    /// The text is not JSON.
    #[error("invalid JSON at line {line} column {column}: {message}")]
    Json {
        /// What the parser met.
        message: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// The text is not YAML, or holds what JSON cannot.
    #[error("error converting YAML to JSON: yaml: line {line} column {column}: {message}")]
    Yaml {
        /// What the parser met.
        message: String,
        /// From 1; 0 when the parser does not tell.
        line: usize,
        /// From 1; 0 when the parser does not tell.
        column: usize,
    },
    /// The bytes are not a Kubernetes protobuf message.
    #[error("invalid protobuf body at byte {offset}: {message}")]
    Protobuf {
        /// What is wrong.
        message: String,
        /// From the start of the message that was being read.
        offset: usize,
    },
    /// The envelope names a kind without a known message.
    #[error("no kind \"{kind}\" is registered for version \"{api_version}\"")]
    UnknownKind {
        /// The `apiVersion` of the envelope.
        api_version: String,
        /// The `kind` of the envelope.
        kind: String,
    },
    /// A field holds the wrong kind of value.
    #[error(transparent)]
    Type(#[from] TypeError),
}
