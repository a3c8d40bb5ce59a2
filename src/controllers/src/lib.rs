//! The engine: one folder a controller.
