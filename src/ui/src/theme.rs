//! Themes: roles with inheritance, read from TOML, cut down to what the terminal can show.
//!
//! A widget asks for a [`Role`] and never names a colour. A role a theme does not mention looks
//! like its parent; fields a theme leaves out come from the parent too.

pub mod color;
pub mod file;
pub mod role;

use ratatui::style::{Color, Modifier, Style};

pub use color::ColorLevel;
pub use file::ThemeError;
pub use role::Role;

/// Styles for every role at one colour level.
#[derive(Clone, Debug)]
pub struct Theme {
    /// What the file calls itself.
    pub name: String,
    /// Whether text is light on dark.
    pub dark: bool,
    /// The colour level it was made for.
    pub level: ColorLevel,
    /// Page colours for pictures: background and text.
    pub page: (Color, Color),
    styles: Vec<Style>,
}

impl Theme {
    /// Reads a theme and cuts it down to a colour level.
    ///
    /// # Errors
    /// The first role, colour or field that is wrong.
    pub fn load(text: &str, level: ColorLevel) -> Result<Self, ThemeError> {
        file::load(text, level)
    }

    /// A theme without colours: attributes only. It needs no file.
    pub fn bare() -> Self {
        let styles = Role::ALL
            .iter()
            .map(|role| match role {
                Role::Selection | Role::Match | Role::ButtonFocus => {
                    Style::new().add_modifier(Modifier::REVERSED)
                }
                Role::Strong | Role::Title | Role::TableHeader => {
                    Style::new().add_modifier(Modifier::BOLD)
                }
                _ => Style::new(),
            })
            .collect();
        Self {
            name: "bare".to_owned(),
            dark: true,
            level: ColorLevel::None,
            page: (Color::Reset, Color::Reset),
            styles,
        }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}
