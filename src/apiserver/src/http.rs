//! From HTTP requests to the verbs and back: decoding, content negotiation, answers.

pub(crate) mod decode;
pub(crate) mod negotiate;
pub(crate) mod present;
pub(crate) mod respond;
pub(crate) mod route;
pub(crate) mod subresource;
pub(crate) mod verbs;
