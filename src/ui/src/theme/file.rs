//! Reading theme files.
//!
//! ```toml
//! name = "mine"
//! kind = "dark"
//! [palette]
//! red = { rgb = "#ff7b72", ansi = "red" }
//! [roles]
//! "state.bad" = { fg = "red", bold = true }
//! [ansi16]            # roles that differ with sixteen colours
//! [mono]              # roles that differ without colour
//! ```

use indexmap::IndexMap;
use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use super::color::{ansi, indexed, rgb};
use super::{ColorLevel, Role, Theme};

/// Why a theme cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// Not TOML, or not shaped as a theme.
    #[error("theme is not readable")]
    Parse(#[from] toml::de::Error),
    /// A role that does not exist.
    #[error("no role named {0:?}")]
    Role(String),
    /// A role names a colour that the palette does not have.
    #[error("role {role}: no colour named {color:?} in the palette")]
    Color {
        /// The role.
        role: String,
        /// The colour.
        color: String,
    },
    /// A palette entry that is not `#rrggbb` and one of the sixteen names.
    #[error("palette colour {0:?} needs rgb = \"#rrggbb\" and an ansi name")]
    Palette(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    kind: Kind,
    #[serde(default)]
    palette: IndexMap<String, PaletteColor>,
    roles: IndexMap<String, Look>,
    #[serde(default)]
    ansi16: IndexMap<String, Look>,
    #[serde(default)]
    mono: IndexMap<String, Look>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Dark,
    Light,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaletteColor {
    rgb: String,
    ansi: String,
}

#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    fg: Option<String>,
    bg: Option<String>,
    bold: Option<bool>,
    dim: Option<bool>,
    italic: Option<bool>,
    underline: Option<bool>,
    reverse: Option<bool>,
}

/// Names of the palette entries that pictures use as the page.
const PAGE: [&str; 2] = ["background", "foreground"];

pub(super) fn load(text: &str, level: ColorLevel) -> Result<Theme, ThemeError> {
    let file: File = toml::from_str(text)?;
    let overrides = match level {
        ColorLevel::None => Some(&file.mono),
        ColorLevel::Ansi16 => Some(&file.ansi16),
        ColorLevel::Indexed | ColorLevel::True => None,
    };
    let tables = [&file.roles, &file.ansi16, &file.mono];
    if let Some(name) = tables
        .iter()
        .flat_map(|t| t.keys())
        .find(|n| Role::named(n).is_none())
    {
        return Err(ThemeError::Role(name.clone()));
    }
    // Every table is checked at every level, so that a fault does not wait for a poor terminal.
    for (role, look) in tables.iter().flat_map(|t| t.iter()) {
        apply(Style::new(), look, &file, role, level)?;
    }
    let mut styles: Vec<Style> = Vec::with_capacity(Role::ALL.len());
    for role in Role::ALL {
        let inherited = role
            .parent()
            .map_or_else(Style::new, |parent| styles[parent as usize]);
        let mut style = inherited;
        if let Some(look) = file.roles.get(role.name()) {
            style = apply(style, look, &file, role.name(), level)?;
        }
        if let Some(look) = overrides.and_then(|table| table.get(role.name())) {
            style = apply(style, look, &file, role.name(), level)?;
        }
        styles.push(style);
    }
    let page = |name: &str| file.palette.get(name).and_then(|color| rgb(&color.rgb));
    let page = PAGE.map(|name| page(name).map_or(Color::Reset, |(r, g, b)| Color::Rgb(r, g, b)));
    Ok(Theme {
        name: file.name,
        dark: file.kind == Kind::Dark,
        level,
        page: (page[0], page[1]),
        styles,
    })
}

fn apply(
    mut style: Style,
    look: &Look,
    file: &File,
    role: &str,
    level: ColorLevel,
) -> Result<Style, ThemeError> {
    let color = |name: &Option<String>| -> Result<Option<Color>, ThemeError> {
        name.as_ref()
            .map(|name| palette_color(file, role, name, level))
            .transpose()
    };
    if let Some(fg) = color(&look.fg)? {
        style.fg = Some(fg);
    }
    if let Some(bg) = color(&look.bg)? {
        style.bg = Some(bg);
    }
    for (value, modifier) in [
        (look.bold, Modifier::BOLD),
        (look.dim, Modifier::DIM),
        (look.italic, Modifier::ITALIC),
        (look.underline, Modifier::UNDERLINED),
        (look.reverse, Modifier::REVERSED),
    ] {
        match value {
            Some(true) => style = style.add_modifier(modifier),
            Some(false) => style.add_modifier.remove(modifier),
            None => {}
        }
    }
    Ok(style)
}

fn palette_color(
    file: &File,
    role: &str,
    name: &str,
    level: ColorLevel,
) -> Result<Color, ThemeError> {
    if name == "default" {
        return Ok(Color::Reset);
    }
    let entry = file.palette.get(name).ok_or_else(|| ThemeError::Color {
        role: role.to_owned(),
        color: name.to_owned(),
    })?;
    let bad = || ThemeError::Palette(name.to_owned());
    let full = rgb(&entry.rgb).ok_or_else(bad)?;
    let named = ansi(&entry.ansi).ok_or_else(bad)?;
    Ok(match level {
        ColorLevel::None => Color::Reset,
        ColorLevel::Ansi16 => named,
        ColorLevel::Indexed => indexed(full),
        ColorLevel::True => Color::Rgb(full.0, full.1, full.2),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "
        name = 'small'
        kind = 'dark'
        [palette]
        red = { rgb = '#ff0000', ansi = 'bright-red' }
        [roles]
        strong = { bold = true }
        'state.bad' = { fg = 'red' }
        [mono]
        'state.bad' = { underline = true }
    ";

    #[test]
    fn roles_inherit_and_levels_cut_down() {
        let theme = Theme::load(SMALL, ColorLevel::True).unwrap();
        let bad = theme.style(Role::StateBad);
        assert_eq!(bad.fg, Some(Color::Rgb(255, 0, 0)));
        assert!(
            bad.add_modifier.contains(Modifier::BOLD),
            "from strong by way of state.warn"
        );
        assert_eq!(theme.style(Role::ToastError), bad);

        let named = Theme::load(SMALL, ColorLevel::Ansi16).unwrap();
        assert_eq!(named.style(Role::StateBad).fg, Some(Color::LightRed));

        let mono = Theme::load(SMALL, ColorLevel::None)
            .unwrap()
            .style(Role::StateBad);
        assert_eq!(mono.fg, Some(Color::Reset));
        assert!(
            mono.add_modifier
                .contains(Modifier::UNDERLINED | Modifier::BOLD)
        );
    }

    #[test]
    fn faults_are_named() {
        let with = |line: &str| Theme::load(&format!("{SMALL}\n{line}"), ColorLevel::True);
        assert!(matches!(with("nonsense = {}"), Err(ThemeError::Role(_))));
        assert!(matches!(
            with("text = { fg = 'mauve' }"),
            Err(ThemeError::Color { .. })
        ));
        assert!(matches!(
            with("text = { blink = true }"),
            Err(ThemeError::Parse(_))
        ));
    }
}
