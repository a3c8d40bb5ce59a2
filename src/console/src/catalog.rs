//! Themes and keymaps: those built in, and those of the operator's config directory.
//!
//! A name that ends in `.toml` is the path of a file. For any other name, `themes/<name>.toml` or
//! `keymaps/<name>.toml` under the config directory wins over the built-in one, and may add names.

use std::path::{Path, PathBuf};

use flybridge_ui::keymap::{self, KeymapError};
use flybridge_ui::theme::ThemeError;
use flybridge_ui::{ColorLevel, Keymap, Theme};

use crate::action::Action;

const THEMES: &[(&str, &str)] = &[
    ("default", include_str!("../../../themes/default.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
    (
        "colour-blind-safe",
        include_str!("../../../themes/colour-blind-safe.toml"),
    ),
];

const KEYMAPS: &[(&str, &str)] = &[
    ("default", include_str!("../../../keymaps/default.toml")),
    ("k9s", include_str!("../../../keymaps/k9s.toml")),
];

/// Why a theme or keymap cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// There is none of that name.
    #[error("there is no {what} named {name:?}; there are {known}")]
    Unknown {
        /// `theme` or `keymap`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// Names there are.
        known: String,
    },
    /// The theme is wrong.
    #[error("theme {0:?}")]
    Theme(String, #[source] ThemeError),
    /// The keymap is wrong.
    #[error("keymap {0:?}")]
    Keymap(String, #[source] KeymapError),
}

/// Where themes and keymaps come from.
#[derive(Clone, Debug)]
pub(crate) struct Catalog {
    config_dir: Option<PathBuf>,
    level: ColorLevel,
}

impl Catalog {
    pub(crate) fn new(config_dir: Option<PathBuf>, level: ColorLevel) -> Self {
        Self { config_dir, level }
    }

    /// The theme with a name.
    ///
    /// # Errors
    /// There is none, or it is wrong.
    pub(crate) fn theme(&self, name: &str) -> Result<Theme, CatalogError> {
        let text = self
            .text("themes", name, THEMES)
            .ok_or_else(|| self.unknown("theme", name, self.theme_names()))?;
        Theme::load(&text, self.level).map_err(|e| CatalogError::Theme(name.to_owned(), e))
    }

    /// The keymap with a name.
    ///
    /// # Errors
    /// There is none, or it is wrong.
    pub(crate) fn keymap(&self, name: &str) -> Result<Keymap<Action>, CatalogError> {
        let text = self
            .text("keymaps", name, KEYMAPS)
            .ok_or_else(|| self.unknown("keymap", name, self.names("keymaps", KEYMAPS)))?;
        // A file may inherit from the built-in map it replaces.
        let parent = |parent: &str| {
            if parent == name {
                builtin(parent, KEYMAPS)
            } else {
                self.text("keymaps", parent, KEYMAPS)
            }
        };
        keymap::load(&text, &parent, &Action::parse)
            .map_err(|e| CatalogError::Keymap(name.to_owned(), e))
    }

    /// Names of all themes, sorted.
    pub(crate) fn theme_names(&self) -> Vec<String> {
        self.names("themes", THEMES)
    }

    #[expect(clippy::unused_self, reason = "reads like the lookups beside it")]
    fn unknown(&self, what: &'static str, name: &str, known: Vec<String>) -> CatalogError {
        CatalogError::Unknown {
            what,
            name: name.to_owned(),
            known: known.join(", "),
        }
    }

    fn text(&self, folder: &str, name: &str, built_in: &[(&str, &str)]) -> Option<String> {
        if name.ends_with(".toml") {
            return std::fs::read_to_string(name).ok();
        }
        let own = self
            .folder(folder)
            .filter(|_| is_file_name(name))
            .and_then(|folder| std::fs::read_to_string(folder.join(format!("{name}.toml"))).ok());
        own.or_else(|| builtin(name, built_in))
    }

    fn folder(&self, folder: &str) -> Option<PathBuf> {
        self.config_dir
            .as_deref()
            .map(|dir: &Path| dir.join(folder))
    }

    fn names(&self, folder: &str, built_in: &[(&str, &str)]) -> Vec<String> {
        let own = self
            .folder(folder)
            .and_then(|folder| std::fs::read_dir(folder).ok())
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let name = entry.ok()?.file_name().into_string().ok()?;
                name.strip_suffix(".toml").map(ToOwned::to_owned)
            });
        let mut names: Vec<String> = built_in
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .chain(own)
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

fn builtin(name: &str, built_in: &[(&str, &str)]) -> Option<String> {
    built_in
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, text)| (*text).to_owned())
}

/// Whether a name stays in its folder.
fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use flybridge_ui::theme::color::contrast;
    use flybridge_ui::{Found, Role};
    use ratatui::style::Color;

    use super::*;
    use crate::action::{Needs, SPECS};

    fn catalog(level: ColorLevel) -> Catalog {
        Catalog::new(None, level)
    }

    #[test]
    fn every_theme_loads_at_every_level() {
        for level in [
            ColorLevel::None,
            ColorLevel::Ansi16,
            ColorLevel::Indexed,
            ColorLevel::True,
        ] {
            for name in catalog(level).theme_names() {
                let theme = catalog(level).theme(&name).unwrap();
                assert_eq!(theme.name, name);
            }
        }
    }

    fn rgb(color: Option<Color>, otherwise: Color) -> (u8, u8, u8) {
        match color.filter(|c| *c != Color::Reset).unwrap_or(otherwise) {
            Color::Rgb(r, g, b) => (r, g, b),
            other => panic!("not 24 bits: {other:?}"),
        }
    }

    #[test]
    fn text_can_be_read_on_every_theme() {
        // Lines and ghosts may be faint; everything that carries meaning may not.
        const FAINT: &[Role] = &[
            Role::Faint,
            Role::Border,
            Role::GaugeRest,
            Role::PromptGhost,
            Role::ExplainSkip,
            Role::YamlComment,
        ];
        for name in catalog(ColorLevel::True).theme_names() {
            let theme = catalog(ColorLevel::True).theme(&name).unwrap();
            for role in Role::ALL.iter().filter(|role| !FAINT.contains(role)) {
                let style = theme.style(*role);
                let (fg, bg) = (rgb(style.fg, theme.page.1), rgb(style.bg, theme.page.0));
                let ratio = contrast(fg, bg);
                assert!(ratio >= 4.5, "{name}: {} has {ratio:.1}", role.name());
            }
        }
    }

    #[test]
    fn states_differ_in_brightness_where_hues_may_not_be_seen() {
        let theme = catalog(ColorLevel::True)
            .theme("colour-blind-safe")
            .unwrap();
        let of = |role| rgb(theme.style(role).fg, theme.page.1);
        let (ok, warn, bad) = (of(Role::StateOk), of(Role::StateWarn), of(Role::StateBad));
        // Blue against orange and yellow differs for every common kind of colour vision.
        assert!(ok.2 > ok.0 && bad.0 > bad.2 && warn.0 > warn.2);
        assert!(contrast(warn, bad) > 1.3);
    }

    #[test]
    fn keymaps_load_and_bind_what_operators_expect() {
        for name in ["default", "k9s"] {
            let map = catalog(ColorLevel::None).keymap(name).unwrap();
            for (mode, keys, action) in [
                ("global", ":", "palette"),
                ("global", "?", "help"),
                ("list", "/", "filter"),
                ("list", "j", "down"),
                ("global", "q", "leave"),
                ("global", "esc", "back"),
                ("bindings", "e", "explain"),
                ("list", "y", "yaml"),
                ("pods", "l", "logs"),
            ] {
                let chords = flybridge_ui::chord::parse_sequence(keys).unwrap();
                let found = map.find(&[mode, "list", "global"], &chords);
                let expected = Action::parse(action).unwrap();
                assert_eq!(found, Found::Command(&expected), "{name} {mode} {keys}");
            }
        }
    }

    #[test]
    fn every_action_without_an_argument_has_a_key_in_the_default_keymap() {
        let map = catalog(ColorLevel::None).keymap("default").unwrap();
        let modes: Vec<&str> = map.modes().collect();
        for spec in SPECS
            .iter()
            .filter(|s| s.argument.is_empty() && s.needs != Needs::Prompt)
        {
            let action = Action::parse(spec.id).unwrap();
            let bound = modes
                .iter()
                .any(|mode| map.keys_for(&[mode], &action).is_some());
            // These are reached by the palette on purpose: a slip must not do them.
            let by_name = [
                "quit",
                "messages",
                "refresh",
                "clear-filter",
                "bindings",
                "pods",
            ];
            assert!(bound || by_name.contains(&spec.id), "{}", spec.id);
        }
    }

    #[test]
    fn names_cannot_leave_the_folder() {
        let catalog = Catalog::new(Some(PathBuf::from("/nowhere")), ColorLevel::None);
        assert!(matches!(
            catalog.theme("../x"),
            Err(CatalogError::Unknown { .. })
        ));
        assert!(matches!(
            catalog.keymap("x"),
            Err(CatalogError::Unknown { .. })
        ));
    }
}
