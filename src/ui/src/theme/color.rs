//! Colour levels and how a colour is cut down to them.

use ratatui::style::Color;

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Ord, PartialOrd)]
pub enum ColorLevel {
    /// None: attributes only.
    None,
    /// The sixteen named ones, whose look is the user's.
    Ansi16,
    /// The xterm palette.
    Indexed,
    /// 24 bits.
    True,
}

impl ColorLevel {
    /// The level that environment variables promise.
    ///
    /// `NO_COLOR` (not empty) wins. `COLORTERM` is not believed inside GNU screen, which hands it
    /// on from the outer terminal but cannot show 24 bits.
    pub fn from_env(var: &dyn Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| var(name).unwrap_or_default();
        let term = get("TERM");
        if !get("NO_COLOR").is_empty() || term == "dumb" || term.starts_with("vt") {
            return Self::None;
        }
        let colorterm = get("COLORTERM");
        let promised = colorterm == "truecolor" || colorterm == "24bit";
        if promised && !term.starts_with("screen") || term.ends_with("-direct") {
            return Self::True;
        }
        if term.contains("256") || term.starts_with("screen") && promised {
            return Self::Indexed;
        }
        Self::Ansi16
    }
}

/// The names of the sixteen colours, in index order; `default` is the terminal's own.
pub const ANSI_NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// The colour with one of the sixteen names, or the terminal's own for `default`.
pub fn ansi(name: &str) -> Option<Color> {
    if name == "default" {
        return Some(Color::Reset);
    }
    let index = ANSI_NAMES.iter().position(|n| *n == name)?;
    Some(match index {
        0 => Color::Black,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        7 => Color::Gray,
        8 => Color::DarkGray,
        9 => Color::LightRed,
        10 => Color::LightGreen,
        11 => Color::LightYellow,
        12 => Color::LightBlue,
        13 => Color::LightMagenta,
        14 => Color::LightCyan,
        _ => Color::White,
    })
}

/// Reads `#rrggbb`.
pub fn rgb(text: &str) -> Option<(u8, u8, u8)> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6)?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    let [_, r, g, b] = value.to_be_bytes();
    Some((r, g, b))
}

/// The nearest colour of the xterm palette's cube or grey ramp.
pub fn indexed((r, g, b): (u8, u8, u8)) -> Color {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |v: u8| -> (u8, u8) {
        let mut best = (0, STEPS[0]);
        for (i, step) in (0_u8..).zip(STEPS) {
            if v.abs_diff(step) < v.abs_diff(best.1) {
                best = (i, step);
            }
        }
        best
    };
    let ((ri, rv), (gi, gv), (bi, bv)) = (nearest(r), nearest(g), nearest(b));
    let average = (u16::from(r) + u16::from(g) + u16::from(b)) / 3;
    let ramp = u8::try_from(average.saturating_sub(3) / 10)
        .unwrap_or(23)
        .min(23);
    let grey = 8 + 10 * ramp;
    let distance = |x: u8, y: u8, z: u8| {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(r, x) + square(g, y) + square(b, z)
    };
    if distance(grey, grey, grey) < distance(rv, gv, bv) {
        Color::Indexed(232 + ramp)
    } else {
        Color::Indexed(16 + 36 * ri + 6 * gi + bi)
    }
}

/// Relative luminance of a colour as WCAG 2 defines it.
pub fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.040_45 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// Contrast ratio of two colours as WCAG 2 defines it, from 1 to 21.
pub fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(vars: &[(&str, &str)]) -> ColorLevel {
        ColorLevel::from_env(&|name| {
            vars.iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| (*v).to_owned())
        })
    }

    #[test]
    fn environment_decides_the_level() {
        let truecolor = ("COLORTERM", "truecolor");
        assert_eq!(
            level(&[("TERM", "xterm-256color"), truecolor]),
            ColorLevel::True
        );
        assert_eq!(
            level(&[("TERM", "screen-256color"), truecolor]),
            ColorLevel::Indexed
        );
        assert_eq!(level(&[("TERM", "tmux-256color")]), ColorLevel::Indexed);
        assert_eq!(level(&[("TERM", "linux")]), ColorLevel::Ansi16);
        assert_eq!(
            level(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]),
            ColorLevel::None
        );
        assert_eq!(
            level(&[("TERM", "xterm"), ("NO_COLOR", "")]),
            ColorLevel::Ansi16
        );
    }

    #[test]
    fn nearest_indexed_colours() {
        assert_eq!(indexed((255, 0, 0)), Color::Indexed(196));
        assert_eq!(indexed((128, 128, 128)), Color::Indexed(244));
        assert_eq!(rgb("#0a141e"), Some((10, 20, 30)));
        assert_eq!(rgb("0a141e"), None);
    }

    #[test]
    fn contrast_of_black_and_white_is_21() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 0.01);
    }
}
