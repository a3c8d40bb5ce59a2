//! Quantities: exact decimal numbers with Kubernetes' suffixes.
//!
//! A quantity is a whole number of nanos in an `i128`. Upstream rounds everything finer up to a
//! nano too, so this is exact.
//!
//! Differs: magnitudes beyond 1.7e29 are capped; upstream keeps them.

mod parse;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::Error;

const NANOS: i128 = 1_000_000_000;
/// The largest power of 1024 with a suffix is `Ei`.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
/// Suffixes of the powers of 1000 from nano on.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];

/// The family of suffixes a quantity is written with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// `m`, none, `k`, `M`, …
    #[default]
    DecimalSi,
    /// `Ki`, `Mi`, …
    BinarySi,
    /// `e3`, `e6`, …
    DecimalExponent,
}

/// An exact amount; equality and order look at the amount only.
#[derive(Clone, Debug, Default)]
pub struct Quantity {
    nanos: i128,
    format: Format,
    /// The text it was read from, where upstream keeps it and it differs from the canonical one.
    text: Option<Box<str>>,
}

impl Quantity {
    /// Zero.
    pub const ZERO: Self = Self {
        nanos: 0,
        format: Format::DecimalSi,
        text: None,
    };

    /// Reads a quantity such as `1`, `500m`, `1.5Gi`, `2e3`.
    ///
    /// # Errors
    /// Fails with [`Error::Quantity`] when the number or the suffix is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        parse::parse(text)
    }

    /// Reads a JSON string or number.
    ///
    /// # Errors
    /// Fails with [`Error::Quantity`] for other types and malformed text.
    pub fn from_json(value: &Value) -> Result<Self, Error> {
        match value {
            Value::String(text) => Self::parse(text.trim()),
            Value::Number(number) => Self::parse(&number.to_string()),
            _ => Err(parse::FORMAT_WRONG),
        }
    }

    /// A whole number of units, in decimal notation.
    pub fn units(units: i64) -> Self {
        Self {
            nanos: i128::from(units) * NANOS,
            ..Self::ZERO
        }
    }

    /// A whole number of units (bytes), in binary notation.
    pub fn bytes(bytes: i64) -> Self {
        Self {
            nanos: i128::from(bytes) * NANOS,
            format: Format::BinarySi,
            text: None,
        }
    }

    /// A whole number of thousandths.
    pub fn milli(milli: i64) -> Self {
        Self {
            nanos: i128::from(milli) * (NANOS / 1000),
            ..Self::ZERO
        }
    }

    /// The family of suffixes it is written with.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the amount is zero.
    pub fn is_zero(&self) -> bool {
        self.nanos == 0
    }

    /// Whether the amount is below zero.
    pub fn is_negative(&self) -> bool {
        self.nanos < 0
    }

    /// The amount in units, rounded away from zero; capped at the ends of `i64`.
    pub fn value(&self) -> i64 {
        cap(round_up(self.nanos, NANOS))
    }

    /// The amount in thousandths, rounded away from zero; capped at the ends of `i64`.
    pub fn milli_value(&self) -> i64 {
        cap(round_up(self.nanos, NANOS / 1000))
    }

    /// The nearest floating point number.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the caller asks for an approximation"
    )]
    pub fn to_f64(&self) -> f64 {
        self.nanos as f64 / 1e9
    }

    /// Rounds away from zero to whole thousandths, as resource lists of stored objects are.
    #[must_use]
    pub fn rounded_to_milli(&self) -> Self {
        const MILLI: i128 = NANOS / 1000;
        if self.nanos % MILLI == 0 {
            return self.clone();
        }
        let nanos = round_up(self.nanos, MILLI).saturating_mul(MILLI);
        Self {
            nanos,
            format: self.format,
            text: None,
        }
    }

    /// The amount taken `count` times.
    #[must_use]
    pub fn times(&self, count: i64) -> Self {
        Self {
            nanos: self.nanos.saturating_mul(i128::from(count)),
            format: self.format,
            text: None,
        }
    }

    fn plus(&self, nanos: i128, other: &Self) -> Self {
        let format = if self.is_zero() {
            other.format
        } else {
            self.format
        };
        Self {
            nanos: self.nanos.saturating_add(nanos),
            format,
            text: None,
        }
    }
}

fn cap(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

/// Divides, rounding away from zero.
fn round_up(value: i128, unit: i128) -> i128 {
    value / unit + if value % unit == 0 { 0 } else { value.signum() }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(text) = &self.text {
            return f.write_str(text);
        }
        if self.is_zero() {
            return f.write_str("0");
        }
        let small = self.nanos.abs() < 1024 * NANOS;
        if self.format == Format::BinarySi && !small && self.nanos % NANOS == 0 {
            return write_binary(f, self.nanos / NANOS);
        }
        let (mantissa, exponent) = decimal_parts(self.nanos);
        if self.format == Format::DecimalExponent {
            return match exponent {
                0 => write!(f, "{mantissa}"),
                _ => write!(f, "{mantissa}e{exponent}"),
            };
        }
        let mut mantissa = mantissa;
        let mut index = usize::try_from((exponent + 9) / 3).unwrap_or_default();
        while index >= DECIMAL.len() {
            mantissa *= 1000;
            index -= 1;
        }
        write!(
            f,
            "{mantissa}{}",
            DECIMAL.get(index).copied().unwrap_or_default()
        )
    }
}

fn write_binary(f: &mut fmt::Formatter<'_>, mut value: i128) -> fmt::Result {
    let mut index = 0;
    while value % 1024 == 0 && index + 1 < BINARY.len() {
        value /= 1024;
        index += 1;
    }
    write!(
        f,
        "{value}{}",
        BINARY.get(index).copied().unwrap_or_default()
    )
}

/// The shortest mantissa with an exponent that is a multiple of three.
fn decimal_parts(nanos: i128) -> (i128, i32) {
    let (mut mantissa, mut exponent) = (nanos, -9);
    while mantissa % 1000 == 0 {
        mantissa /= 1000;
        exponent += 3;
    }
    (mantissa, exponent)
}

impl FromStr for Quantity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nanos.hash(state);
    }
}

impl Add for &Quantity {
    type Output = Quantity;

    fn add(self, other: Self) -> Quantity {
        self.plus(other.nanos, other)
    }
}

impl Sub for &Quantity {
    type Output = Quantity;

    fn sub(self, other: Self) -> Quantity {
        self.plus(other.nanos.saturating_neg(), other)
    }
}

impl Add for Quantity {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        &self + &other
    }
}

impl Sub for Quantity {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        &self - &other
    }
}

impl AddAssign<&Self> for Quantity {
    fn add_assign(&mut self, other: &Self) {
        *self = &*self + other;
    }
}

impl SubAssign<&Self> for Quantity {
    fn sub_assign(&mut self, other: &Self) {
        *self = &*self - other;
    }
}

impl Neg for &Quantity {
    type Output = Quantity;

    fn neg(self) -> Quantity {
        Quantity {
            nanos: self.nanos.saturating_neg(),
            format: self.format,
            text: None,
        }
    }
}

impl Neg for Quantity {
    type Output = Self;

    fn neg(self) -> Self {
        -&self
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_json(&value).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantity(text: &str) -> Quantity {
        Quantity::parse(text).unwrap()
    }

    #[test]
    fn arithmetic_keeps_the_notation_of_the_left_side() {
        assert_eq!((quantity("1Gi") + quantity("1Gi")).to_string(), "2Gi");
        assert_eq!((quantity("1") + quantity("1Ki")).to_string(), "1025");
        assert_eq!((Quantity::ZERO + quantity("1Ki")).to_string(), "1Ki");
        assert_eq!((-quantity("250m")).to_string(), "-250m");
        assert_eq!(quantity("250m").times(3).to_string(), "750m");
        assert_eq!(quantity("1Ki").times(1024).to_string(), "1Mi");
    }

    #[test]
    fn equality_looks_at_the_amount() {
        assert_eq!(quantity("1Ki"), quantity("1024"));
        assert!(quantity("100m") < quantity("1"));
        assert_eq!(Quantity::milli(1500).to_string(), "1500m");
        assert_eq!(Quantity::bytes(1 << 30).to_string(), "1Gi");
        assert_eq!(Quantity::units(3000).to_string(), "3k");
    }

    #[test]
    fn json_numbers_are_quantities_too() {
        assert_eq!(
            Quantity::from_json(&serde_json::json!(1.5))
                .unwrap()
                .to_string(),
            "1500m"
        );
        assert_eq!(serde_json::to_string(&quantity("0.5")).unwrap(), "\"500m\"");
        assert!(Quantity::from_json(&Value::Null).is_err());
    }
}
