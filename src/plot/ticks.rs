//! Where an axis is marked, and how the marks are labelled.
//!
//! A linear tick is an integer times a power of ten, so its value is the double nearest to the
//! decimal number and its label carries no rounding noise.

/// The marks of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    /// Labelled marks in increasing order.
    pub major: Vec<(f64, String)>,
    /// Marks without label in increasing order; none on a linear axis.
    pub minor: Vec<f64>,
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten: the finest such step with at most
/// `max` ticks in `[lower, upper]`. They are closer than one step to both ends.
///
/// Needs `lower < upper`, finite, at least 1e-12 apart relative to the larger magnitude, which
/// is at least 1e-300; and `max ≥ 2`. Cost: O(`max`).
pub fn linear(lower: f64, upper: f64, max: usize) -> Ticks {
    let raw = (upper / 2.0 - lower / 2.0) / (max as f64 / 2.0);
    let start = raw.log10().floor() as i32 - 1;
    for exponent in start.. {
        for factor in [1i64, 2, 5] {
            let step = decimal(factor, exponent);
            let (a, b) = (lower / step, upper / step);
            // An end that is a tick up to the rounding of the division counts as one.
            let slack = 1e-9 + 4.0 * f64::EPSILON * a.abs().max(b.abs());
            let (first, last) = ((a - slack).ceil() as i64, (b + slack).floor() as i64);
            if last.saturating_sub(first) < max as i64 {
                let mantissas: Vec<i64> = (first..=last)
                    .map(|k| k * factor)
                    .filter(|&m| decimal(m, exponent).is_finite())
                    .collect();
                let values = mantissas.iter().map(|&m| decimal(m, exponent));
                let major = values.zip(labels(&mantissas, exponent)).collect();
                return Ticks { major, minor: Vec::new() };
            }
        }
    }
    unreachable!("a step above the span leaves at most one tick, and max ≥ 2")
}

/// Ticks at powers of ten, every one or every 2nd, 3rd, 5th, 10th …, so that there are at most
/// `max`; minor ticks at 2 … 9 times the powers, or at the powers left out unless these are
/// more than 50. An axis within two
/// powers of ten is labelled at 1, 2, 5 times them or, when that gives fewer than two, linearly.
///
/// Needs `0 < lower < upper`, finite, at least 1e-12 apart relative to `upper`, which is at
/// least 1e-300; and `max ≥ 2`.
pub fn log10(lower: f64, upper: f64, max: usize) -> Ticks {
    let inside = |v: f64| v.is_finite() && v >= lower * (1.0 - 1e-12) && v <= upper * (1.0 + 1e-12);
    let decades = lower.log10().floor() as i32..=upper.log10().ceil() as i32;
    let multiples = |factors: &[i64]| -> Vec<(i64, i32)> {
        let all = decades.clone().flat_map(|d| factors.iter().map(move |&m| (m, d)));
        all.filter(|&(m, d)| inside(decimal(m, d))).collect()
    };
    let value = |&(m, d): &(i64, i32)| decimal(m, d);
    let powers = multiples(&[1]);
    if powers.len() >= 2 {
        let stride = strides().find(|&s| kept(&powers, s).count() <= max).unwrap_or(i32::MAX);
        let major = kept(&powers, stride).map(|p| (value(p), power(p.1))).collect();
        let minor = match (stride, powers.len()) {
            (1, _) => multiples(&[2, 3, 4, 5, 6, 7, 8, 9]),
            (_, 0..=50) => powers,
            _ => Vec::new(),
        };
        return Ticks { major, minor: minor.iter().map(value).collect() };
    }
    let minor: Vec<f64> = multiples(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).iter().map(value).collect();
    let choice = [&[1, 2, 5][..], &[1, 3], &[1]].map(multiples);
    match choice.into_iter().find(|c| (2..=max).contains(&c.len())) {
        Some(marks) => {
            let plain = marks.iter().map(value).all(|v| (1e-3..1e5).contains(&v));
            let label = |&(m, d): &(i64, i32)| match (plain, m) {
                (true, _) => fixed(m, d),
                (false, 1) => power(d),
                (false, _) => format!("{m}×{}", power(d)),
            };
            Ticks { major: marks.iter().map(|p| (value(p), label(p))).collect(), minor }
        }
        None => Ticks { minor, ..linear(lower, upper, max) },
    }
}

/// A value for reading: three significant digits, or `v ± e` with both to the error's first
/// digit, or to its second when it starts below 3.55 (the rule of the Particle Data Group).
pub fn value_label(value: f64, error: Option<f64>) -> String {
    let error = error.filter(|e| *e > 0.0);
    // of the rounded value, so that 0.9999 reads 1.00
    let leading =
        |v: f64| format!("{v:.2e}").split_once('e').map_or(0, |p| p.1.parse().unwrap_or(0));
    let top = leading(value).max(error.map_or(i32::MIN, leading));
    let unit = if (-4..=5).contains(&top) { 0 } else { top };
    let last = error.map_or_else(
        || leading(value) - 2,
        |e| leading(e) - i32::from(e / decimal(1, leading(e)) < 3.55),
    );
    let places = (unit - last).clamp(0, 15) as usize;
    // Two factors, since 10^-unit alone may overflow.
    let scaled = |v: f64| v / decimal(1, unit / 2) / decimal(1, unit - unit / 2);
    let digits = |v: f64| {
        let text = format!("{:.places$}", scaled(v));
        let zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
        text.replace('-', if zero { "" } else { "−" })
    };
    let text = match error {
        Some(e) => format!("{} ± {}", digits(value), digits(e)),
        None => digits(value),
    };
    match (unit, error) {
        (0, _) => text,
        (_, None) => format!("{text}×{}", power(unit)),
        (_, Some(_)) => format!("({text})×{}", power(unit)),
    }
}

fn strides() -> impl Iterator<Item = i32> {
    [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300].into_iter()
}

fn kept(powers: &[(i64, i32)], stride: i32) -> impl Iterator<Item = &(i64, i32)> {
    powers.iter().filter(move |p| p.1 % stride == 0)
}

/// The double nearest to `mantissa`·10^`exponent`.
fn decimal(mantissa: i64, exponent: i32) -> f64 {
    format!("{mantissa}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The labels of `mantissas`·10^`exponent`: decimals where they are short, else a common power.
fn labels(mantissas: &[i64], exponent: i32) -> Vec<String> {
    let largest = mantissas.iter().map(|m| m.unsigned_abs()).max().unwrap_or(0);
    let leading = exponent + largest.checked_ilog10().unwrap_or(0) as i32;
    let label = |&m: &i64| {
        if exponent >= -4 && leading <= 4 {
            fixed(m, exponent)
        } else if m == 0 {
            "0".to_owned()
        } else {
            format!("{}×{}", fixed(m, exponent - leading), power(leading))
        }
    };
    mantissas.iter().map(label).collect()
}

/// `mantissa`·10^`exponent` in decimal notation, exactly.
fn fixed(mantissa: i64, exponent: i32) -> String {
    let sign = if mantissa < 0 { "−" } else { "" };
    let digits = mantissa.unsigned_abs();
    if exponent >= 0 {
        return format!("{sign}{}", digits * 10u64.pow(exponent as u32));
    }
    let places = exponent.unsigned_abs() as usize;
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// `10ⁿ` with Unicode superscripts.
fn power(exponent: i32) -> String {
    let superscript = |c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>())
}
