//! Composition root: config in, running plane out, graceful stop.
