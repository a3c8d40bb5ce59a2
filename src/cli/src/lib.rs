//! Subcommands, flags, output formats, completions.
