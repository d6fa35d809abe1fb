//! The generator, its addressing and the variates made of it (M1, M2).

use rootrate::montecarlo::{Stream, philox4x32_10};
use serde_json::Value;
use statrs::function::erf::erfc;

/// Random123's known answers (`kat_vectors`, philox4x32 10).
#[test]
fn philox_gives_the_published_answers() {
    let pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
    for (counter, key, expected) in [
        ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
        (pi, [0xa4093822, 0x299f31d0], [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]),
    ] {
        assert_eq!(philox4x32_10(counter, key), expected);
    }
}

#[test]
fn a_stream_lays_its_words_out_as_documented() {
    let (seed, experiment, replicate) = (0x0123_4567_89AB_CDEF, 0xDEAD_BEEF, 0x8000_0001);
    let mut stream = Stream::new(seed, experiment, replicate);
    for start in [0, 2, 4 * 0xFFFF_FFFF, u64::MAX - 5] {
        stream.seek(start);
        for index in (0..12).map(|i| start.wrapping_add(i)) {
            let block = index / 4;
            let counter = [block as u32, (block >> 32) as u32, replicate, experiment];
            let word = philox4x32_10(counter, [0x89AB_CDEF, 0x0123_4567])[(index % 4) as usize];
            assert_eq!(stream.at(index), word);
            assert_eq!(stream.position(), index);
            assert_eq!(stream.next_u32(), word);
        }
    }
}

#[test]
fn uniforms_stay_inside_their_interval_and_are_exact_functions_of_the_words() {
    let mut stream = Stream::new(3, 1, 4);
    for i in 0..10_000_u64 {
        let bits = u64::from(stream.at(2 * i)) | u64::from(stream.at(2 * i + 1)) << 32;
        let u = stream.uniform();
        // u·2⁵³ is the odd integer 2k + 1, exactly.
        assert_eq!(u * 9_007_199_254_740_992.0, ((bits >> 12) * 2 + 1) as f64);
        assert!(u > 0.0 && u < 1.0);
    }
    let u = stream.uniform_f32();
    assert_eq!(u, (stream.at(20_000) as f32 + 0.5) / 4_294_967_296.0);
}

/// Split fills, sequential fills and single blocks give the same variates: the address decides.
#[test]
fn variates_do_not_depend_on_how_they_are_requested() {
    let mut whole = vec![0.0; 1001];
    let mut single = vec![0.0_f32; 1001];
    Stream::new(5, 6, 7).fill_normal_f64(&mut whole);
    Stream::new(5, 6, 7).fill_normal_f32(&mut single);
    for step in [4, 128, 256, 500] {
        let mut stream = Stream::new(5, 6, 7);
        let mut parts = vec![0.0; 1001];
        parts.chunks_mut(step).for_each(|part| stream.fill_normal_f64(part));
        assert_eq!(parts, whole);
        let mut stream = Stream::new(5, 6, 7);
        let mut parts = vec![0.0_f32; 1001];
        parts.chunks_mut(step).for_each(|part| stream.fill_normal_f32(part));
        assert_eq!(parts, single);
    }
    // After a word has been read, a fill begins at the next whole block.
    let mut stream = Stream::new(5, 6, 7);
    stream.next_u32();
    let mut later = [0.0; 3];
    stream.fill_normal_f64(&mut later);
    assert_eq!(later, whole[2..5]);
    assert_eq!(stream.position(), 12);
    stream.fill_normal_f64(&mut []);
    assert_eq!(stream.position(), 12);
}

fn number(value: &Value) -> f64 {
    value.as_str().unwrap().parse().unwrap()
}

/// Relative errors against 50-digit values, blocks with extreme radius words included.
#[test]
fn variates_agree_with_multiprecision_to_the_documented_error() {
    let golden: Value = serde_json::from_str(include_str!("../golden/normal.json")).unwrap();
    let (mut worst, mut worst_single) = (0.0_f64, 0.0_f64);
    for case in golden["cases"].as_array().unwrap() {
        let field = |name: &str| case[name].as_u64().unwrap();
        let mut stream =
            Stream::new(field("seed"), field("experiment") as u32, field("replicate") as u32);
        let first = 4 * field("block");
        for (w, word) in case["words"].as_array().unwrap().iter().enumerate() {
            assert_eq!(u64::from(stream.at(first + w as u64)), word.as_u64().unwrap());
        }
        let mut double = [0.0; 2];
        stream.seek(first);
        stream.fill_normal_f64(&mut double);
        let mut single = [0.0_f32; 4];
        stream.seek(first);
        stream.fill_normal_f32(&mut single);
        for (z, exact) in double.iter().zip(case["double"].as_array().unwrap()) {
            worst = worst.max(((z - number(exact)) / number(exact)).abs());
        }
        for (z, exact) in single.iter().zip(case["single"].as_array().unwrap()) {
            worst_single =
                worst_single.max(((f64::from(*z) - number(exact)) / number(exact)).abs());
        }
    }
    println!("{worst:e} {worst_single:e}");
    assert!(worst < 2.0_f64.powi(-50), "f64: {worst:e}");
    assert!(worst_single < 2.0_f64.powi(-21), "f32: {worst_single:e}");
}

/// Two-sided tail P(|Z| > x).
fn tail(x: f64) -> f64 {
    erfc(x / 2.0_f64.sqrt())
}

/// Moments to order 8, tail counts, the Kolmogorov–Smirnov distance and independence.
///
/// Every z-score is held to 5 (two-sided rate 5.7e-7 for normal statistics; 20 of them), the
/// count beyond 5σ (mean 2.4) to 14 (Poisson rate 1e-8), the Kolmogorov–Smirnov distance to
/// 2.5/√N (rate 2 exp(−12.5) = 7.5e-6): a correct generator fails this test with probability
/// below 2.5e-5 a precision. With N = 2²² it sees a shift of the mean by 0.0025, of the
/// variance by 0.35 %, or a correlation of 0.0025.
fn check_normality(z: &[f64]) {
    let n = z.len() as f64;
    let score = |name: &str, sum: f64, mean: f64, variance: f64| {
        let score = (sum / n - mean) / (variance / n).sqrt();
        assert!(score.abs() < 5.0, "{name}: {score}");
    };
    let double_factorial = |k: i32| (1..=k).rev().step_by(2).map(f64::from).product::<f64>();
    for k in 1..=8 {
        let mean = if k % 2 == 0 { double_factorial(k - 1) } else { 0.0 };
        let sum = z.iter().map(|z| z.powi(k)).sum();
        let variance = double_factorial(2 * k - 1) - mean * mean;
        score(&format!("moment {k}"), sum, mean, variance);
    }
    let beyond = |x: f64| z.iter().filter(|z| z.abs() > x).count() as f64;
    for x in [3.0, 4.0] {
        score(&format!("tail {x}"), beyond(x), tail(x), tail(x) * (1.0 - tail(x)));
    }
    assert!(beyond(5.0) <= 14.0, "beyond 5σ: {}", beyond(5.0));
    for lag in 1..=4 {
        let pairs = z.iter().zip(&z[lag..]);
        score(&format!("lag {lag}"), pairs.clone().map(|(a, b)| a * b).sum(), 0.0, 1.0);
        let squares = pairs.map(|(a, b)| (a * a - 1.0) * (b * b - 1.0)).sum();
        score(&format!("lag {lag} of squares"), squares, 0.0, 4.0);
    }
    // Partners of one pair: z₀²z₁ and z₀z₁² vanish in the mean only if sign and exchange bits
    // are unbiased; both have variance 3.
    let half = |f: fn(f64, f64) -> f64| z.as_chunks().0.iter().map(|&[a, b]| f(a, b)).sum::<f64>();
    score("pair 2,1", half(|a, b| a * a * b), 0.0, 1.5);
    score("pair 1,2", half(|a, b| a * b * b), 0.0, 1.5);
    let mut sorted = z[..1 << 18].to_vec();
    sorted.sort_by(f64::total_cmp);
    let m = sorted.len() as f64;
    let distance = sorted
        .iter()
        .enumerate()
        .map(|(i, &z)| (0.5 * erfc(-z / 2.0_f64.sqrt()) - (i as f64 + 0.5) / m).abs())
        .fold(0.0, f64::max)
        + 0.5 / m;
    assert!(distance < 2.5 / m.sqrt(), "Kolmogorov–Smirnov distance {distance}");
}

#[test]
fn double_precision_variates_are_standard_normal() {
    let mut z = vec![0.0; 1 << 22];
    Stream::new(2011, 0, 0).fill_normal_f64(&mut z);
    check_normality(&z);
}

#[test]
fn single_precision_variates_are_standard_normal() {
    let mut z = vec![0.0_f32; 1 << 22];
    Stream::new(2011, 0, 1).fill_normal_f32(&mut z);
    check_normality(&z.into_iter().map(f64::from).collect::<Vec<_>>());
}

/// Streams that differ in one bit of one coordinate are uncorrelated: 64 + 32 + 32 pairs, each
/// z-score within 5.5 (two-sided 3.8e-8, 5e-6 together).
#[test]
fn neighbouring_streams_are_independent() {
    const COUNT: usize = 1 << 14;
    let normals = |seed, experiment, replicate| {
        let mut z = vec![0.0; COUNT];
        Stream::new(seed, experiment, replicate).fill_normal_f64(&mut z);
        z
    };
    let base = normals(0, 0, 0);
    let seeds = (0..64).map(|bit| (1_u64 << bit, 0, 0));
    let experiments = (0..32).map(|bit| (0, 1_u32 << bit, 0));
    let replicates = (0..32).map(|bit| (0, 0, 1_u32 << bit));
    for (seed, experiment, replicate) in seeds.chain(experiments).chain(replicates) {
        let other = normals(seed, experiment, replicate);
        let score =
            base.iter().zip(&other).map(|(a, b)| a * b).sum::<f64>() / (COUNT as f64).sqrt();
        assert!(score.abs() < 5.5, "{seed:x} {experiment:x} {replicate:x}: {score}");
    }
}
