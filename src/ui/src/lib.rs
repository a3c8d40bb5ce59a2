//! Widgets, theme roles, keymap trie, terminal ownership.
