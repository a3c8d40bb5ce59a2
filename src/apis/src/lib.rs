//! The Karmada API groups as types, their defaulting, validation, names, labels and CRD manifests.
