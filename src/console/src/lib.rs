//! The TUI application: state, actions, panes.
