//! The text form of quantities.
//!
//! Source: upstream `resource.ParseQuantity`, including which spellings survive unchanged.

use super::{Format, NANOS, Quantity};
use crate::Error;

pub(super) const FORMAT_WRONG: Error = Error::Quantity(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);
const SUFFIX_WRONG: Error = Error::Quantity("unable to parse quantity's suffix");
/// Decimal digits that always fit an `i64`.
const FAST_DIGITS: usize = 18;
/// Powers of ten beyond this never fit.
const LARGEST_POWER: i64 = 40;

struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

fn split(text: &str) -> Result<Parts<'_>, Error> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.is_empty() {
        return Err(FORMAT_WRONG);
    }
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (whole, rest) = unsigned.split_at(digits(unsigned));
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(digits(rest)),
        None => ("", rest),
    };
    let letters = suffix.trim_start_matches(|c: char| "eEinumkKMGTP".contains(c));
    let number = letters.strip_prefix(['+', '-']).unwrap_or(letters);
    if number.bytes().any(|byte| !byte.is_ascii_digit()) {
        return Err(FORMAT_WRONG);
    }
    Ok(Parts {
        negative: text.starts_with('-'),
        whole: whole.trim_start_matches('0'),
        fraction,
        suffix,
    })
}

/// What a suffix stands for: a format and a power of ten or two.
fn interpret(suffix: &str) -> Option<(Format, i64)> {
    let decimal = |power| Some((Format::DecimalSi, power));
    let binary = |power| Some((Format::BinarySi, power));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        other => {
            let power = other.strip_prefix(['e', 'E'])?.parse().ok()?;
            Some((Format::DecimalExponent, power))
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Quantity, Error> {
    let parts = split(text)?;
    let (format, power) = interpret(parts.suffix).ok_or(SUFFIX_WRONG)?;
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let places = i64::try_from(parts.fraction.len()).unwrap_or(i64::MAX);
    let magnitude = if format == Format::BinarySi {
        let amount = scale(&digits, 9 - places, 1_i128 << power);
        amount.min(i128::from(i64::MAX) * NANOS)
    } else {
        scale(&digits, power.saturating_sub(places).saturating_add(9), 1)
    };
    let mut quantity = Quantity {
        nanos: if parts.negative {
            -magnitude
        } else {
            magnitude
        },
        format: if format == Format::BinarySi && magnitude < NANOS && magnitude > 0 {
            Format::DecimalSi
        } else {
            format
        },
        text: None,
    };
    let length = parts.whole.len().max(1) + parts.fraction.len();
    let exponent = power.saturating_sub(places);
    // Upstream hands such spellings back as they came.
    let kept = format != Format::BinarySi
        && length <= FAST_DIGITS
        && exponent >= -9
        && exponent % 3 == 0
        && !parts.whole.is_empty()
        && !digits.ends_with("000");
    if kept && quantity.to_string() != text {
        quantity.text = Some(text.into());
    }
    Ok(quantity)
}

/// `digits * factor * 10^power`, rounded up to a whole number and capped.
fn scale(digits: &str, power: i64, factor: i128) -> i128 {
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return 0;
    }
    let Some(number) = digits
        .parse::<i128>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
    else {
        return scale_long(digits, power, factor);
    };
    if power >= 0 {
        let ten = (power < LARGEST_POWER)
            .then(|| 10_i128.checked_pow(power_u32(power)))
            .flatten();
        return ten
            .and_then(|ten| number.checked_mul(ten))
            .unwrap_or(i128::MAX);
    }
    match 10_i128.checked_pow(power_u32(power.saturating_neg())) {
        Some(ten) => number / ten + i128::from(number % ten != 0),
        None => 1,
    }
}

/// More digits than fit: drops trailing ones, which lie below a nano or beyond the cap.
fn scale_long(digits: &str, power: i64, factor: i128) -> i128 {
    let Some((head, last)) = digits.split_at_checked(digits.len() - 1) else {
        return i128::MAX;
    };
    let lost = i128::from(last != "0" && power < 0);
    if power >= 0 && digits.len() > FAST_DIGITS + 20 {
        return i128::MAX;
    }
    let shorter = scale(head, power + 1, factor);
    if power == -1 {
        shorter.saturating_add(lost)
    } else {
        shorter
    }
}

fn power_u32(power: i64) -> u32 {
    u32::try_from(power).unwrap_or(u32::MAX)
}
