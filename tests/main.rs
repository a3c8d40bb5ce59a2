//! End-to-end tests: the real binary, real ports, real clients.
