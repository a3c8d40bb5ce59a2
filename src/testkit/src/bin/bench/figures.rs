//! Printing a figure beside the recorded one of the reference stack.
//!
//! Source: Karmada v1.19-rc with tuned rate limits, kube-apiserver and etcd, three bare members,
//! on a two-core machine with 24 GiB; recorded figures, not measured by this command.

/// What the reference stack did for a burst of this size, where it was recorded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reference {
    pub(crate) rate: Option<f64>,
    pub(crate) total_s: Option<f64>,
    pub(crate) rss_mb: Option<f64>,
}

impl Reference {
    pub(crate) fn for_count(count: usize) -> Self {
        match count {
            500 => Self {
                rate: Some(6.40),
                total_s: Some(78.0),
                rss_mb: Some(1531.0),
            },
            2000 => Self {
                rate: Some(5.52),
                total_s: Some(362.0),
                rss_mb: Some(3890.0),
            },
            _ => Self::default(),
        }
    }
}

pub(crate) fn print_header() {
    println!(
        "{:<48} {:>12} {:>14} {:>8}",
        "figure", "here", "reference", "ratio"
    );
}

/// A figure of which less is better.
pub(crate) fn print(name: &str, value: f64, unit: &str, reference: Option<f64>) {
    let ratio = reference.map(|reference| reference / value);
    row(name, value, unit, reference, ratio);
}

/// A rate, of which more is better.
pub(crate) fn print_rate(name: &str, value: f64, reference: Option<f64>) {
    let ratio = reference.map(|reference| value / reference);
    row(name, value, "/s", reference, ratio);
}

fn row(name: &str, value: f64, unit: &str, reference: Option<f64>, ratio: Option<f64>) {
    let here = format!("{value:.2} {unit}");
    let there = reference.map_or_else(|| "-".to_owned(), |value| format!("{value:.2} {unit}"));
    let ratio = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}x"));
    println!("{name:<48} {here:>12} {there:>14} {ratio:>8}");
}
