//! In-memory plane, paused-time fleet, PTY driver, golden compare.
