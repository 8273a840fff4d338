//! Numbers from text, in JSON's syntax and without losing digits.

use serde_json::Number;

/// More digits than any integer we can hold; the bound keeps `1e999999999` from being written out.
const MAX_DIGITS: i64 = 20;

/// The integer that `text` is, also when written `42.0` or `1e3`; `None` when it is no integer or does not fit 64 bits.
pub(super) fn integer(text: &str) -> Option<Number> {
    let parts = Decimal::parse(text)?;
    let digits = parts.integral_digits()?;
    let magnitude: u64 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    if parts.negative {
        let negative = i64::try_from(-i128::from(magnitude)).ok()?;
        Some(Number::from(negative))
    } else {
        Some(Number::from(magnitude))
    }
}

/// The number that `text` is: an integer where it is one, else the nearest finite float.
pub(super) fn number(text: &str) -> Option<Number> {
    if let Some(whole) = integer(text) {
        return Some(whole);
    }
    Decimal::parse(text)?;
    Number::from_f64(text.parse::<f64>().ok()?)
}

/// A number in JSON's syntax, taken apart.
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], parse_exponent(&rest[at + 1..])?),
            None => (rest, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if whole.is_empty() || leading_zero || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        Some(Self {
            negative,
            whole,
            fraction,
            exponent,
        })
    }

    /// Digits of the value when it is an integer, without leading zeros; empty for zero.
    fn integral_digits(&self) -> Option<String> {
        let digits: String = [self.whole, self.fraction].concat();
        let significant = digits.trim_end_matches('0');
        let dropped = i64::try_from(digits.len() - significant.len()).ok()?;
        let shift = self
            .exponent
            .checked_sub(i64::try_from(self.fraction.len()).ok()?)?
            .checked_add(dropped)?;
        let significant = significant.trim_start_matches('0');
        if significant.is_empty() {
            return Some(String::new());
        }
        if !(0..=MAX_DIGITS).contains(&shift) {
            return None;
        }
        let mut all = significant.to_owned();
        all.extend(std::iter::repeat_n('0', usize::try_from(shift).ok()?));
        Some(all)
    }
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !all_digits(digits) {
        return None;
    }
    // An exponent too long for 64 bits is as good as the largest: neither gives an integer or a finite number.
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX / 2).min(i64::MAX / 2);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}
