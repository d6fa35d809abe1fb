//! The figures: they draw, they are reproducible, and what they show obeys the theory.

use rayon::ThreadPoolBuilder;
use rootrate::plot::gallery::{Drawing, Settings, all};
use rootrate::plot::{Figure, Mark, Panel};
use rootrate::resolvent::MarchenkoPastur;

const QUICK: Settings = Settings { quick: true, seed: 1 };
/// ln(80/0.002), the range of EDM.
const LENGTH: f64 = 10.596_634_733_096_073;

fn drawing(name: &str) -> Drawing {
    all().into_iter().find(|d| d.name == name).unwrap()
}

/// Draws a figure in quick mode and renders it both ways.
fn draw(name: &str) -> Figure {
    let figure = (drawing(name).draw)(&QUICK).unwrap();
    let svg = figure.to_svg().unwrap();
    for number in ["\"NaN", ",NaN", " NaN", "\"inf", ",inf", "-inf"] {
        assert!(!svg.contains(number), "{name}: {number} in the SVG");
    }
    assert!(figure.to_png().unwrap().starts_with(b"\x89PNG"), "{name}");
    for (index, panel) in figure.panels.iter().enumerate() {
        let bars = matches!(panel.series[0].mark, Mark::Bars { .. });
        for label in [&panel.x.label, &panel.y.label].into_iter().take(2 - usize::from(bars)) {
            let unit = label.contains('(') || label.contains("number") || label.contains("per ");
            assert!(unit, "{name} {index}: no unit in {label}");
        }
    }
    figure
}

fn line<'a>(panel: &'a Panel, name: &str) -> &'a [(f64, f64)] {
    let found = panel.series.iter().find_map(|s| match &s.mark {
        Mark::Line { points, .. } if s.name == name => Some(points),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{} has no line {name}", panel.title))
}

fn histogram(panel: &Panel) -> (&[f64], &[f64]) {
    match &panel.series[0].mark {
        Mark::Histogram { edges, heights } => (edges, heights),
        other => panic!("not a histogram: {other:?}"),
    }
}

/// ∫ y d ln x by the trapezoid rule.
fn integral(points: &[(f64, f64)]) -> f64 {
    points.windows(2).map(|w| 0.5 * (w[0].1 + w[1].1) * (w[1].0 / w[0].0).ln()).sum()
}

#[test]
fn names_are_unique_and_captions_say_something() {
    let every = all();
    for (i, drawing) in every.iter().enumerate() {
        assert!(every[..i].iter().all(|d| d.name != drawing.name), "{} twice", drawing.name);
        assert!(drawing.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'));
        assert!(drawing.caption.len() > 100 && drawing.caption.ends_with('.'), "{}", drawing.name);
        assert!(!drawing.caption.contains("  "), "{}: a broken line shows", drawing.name);
    }
}

#[test]
fn the_same_settings_give_the_same_bytes_on_any_number_of_threads() {
    let bytes = |name: &str, threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let figure = pool.install(|| (drawing(name).draw)(&QUICK)).unwrap();
        (figure.to_svg().unwrap(), figure.to_png().unwrap())
    };
    for name in ["allocation", "spectrum", "learning-curve"] {
        assert!(bytes(name, 1) == bytes(name, 3), "{name} depends on the threads");
    }
}

#[test]
fn spectrum_shows_structure_against_a_null_that_is_marchenko_pastur() {
    let figure = draw("spectrum");
    let (edges, counts) = histogram(&figure.panels[0]);
    let p: f64 = counts.iter().sum();
    let law = MarchenkoPastur::new(p / 1e4, 1.0).unwrap();
    let (lower, upper) = law.support();
    let beyond: f64 = edges.iter().zip(counts).filter(|c| *c.0 > upper).map(|c| c.1).sum();
    assert!(beyond > 0.1 * p, "{beyond} of {p} above {upper}");
    assert!(edges[0] < 0.1 * lower);

    // Eigenvalues of p×p matrices are rigid: their distribution function is within O(ln p / p)
    // of the law, 0.014 here, where p independent draws would be 0.04 off (1/√p times 0.87).
    let (edges, heights) = histogram(&figure.panels[1]);
    let mut mass = 0.0;
    for (pair, height) in edges.windows(2).zip(heights) {
        mass += height * (pair[1] - pair[0]);
        let expected = law.cdf(pair[1]).unwrap();
        assert!((mass - expected).abs() < 0.014, "up to {}: {mass}, {expected}", pair[1]);
    }
    assert!((mass - 1.0).abs() < 1e-12, "an eigenvalue lies outside of the histogram: {mass}");
}

/// Between the two bulks of panel (c) there is no eigenvalue, and each holds as many as the
/// population (exact separation); the outlier is where x(50) = 50(1 + 0.15/49 + 1.5/40) says.
#[test]
fn spectrum_shows_two_bulks_and_an_outlier() {
    let figure = draw("spectrum");
    let panel = &figure.panels[2];
    let (edges, heights) = histogram(panel);
    let mass = |from: f64, to: f64| -> f64 {
        let bins = edges.windows(2).zip(heights).filter(|(w, _)| from <= w[0] && w[0] < to);
        bins.map(|(w, h)| h * (w[1] / w[0]).ln()).sum()
    };
    for (from, to, count) in [(0.0, 2.5, 400.0), (2.5, 30.0, 400.0), (30.0, 99.0, 1.0)] {
        assert!((mass(from, to) - count / 801.0).abs() < 1e-12, "{from} to {to}");
    }
    let found = panel.series.iter().find_map(|s| match &s.mark {
        Mark::Points { points, .. } if s.name == "simulated outlier" => Some(points[0].0),
        _ => None,
    });
    // standard deviation τ√(2x'/n) = 1.4; five of them: false alarm 6e-7, and the seed is fixed
    let predicted = 50.0 * (1.0 + 0.15 / 49.0 + 1.5 / 40.0);
    assert!((found.unwrap() - predicted).abs() < 7.0, "{found:?}, {predicted}");
    // 664 of the 784 eigenvalues of the digits' covariance are positive, and all are shown
    let (edges, heights) = histogram(&figure.panels[3]);
    let widths = edges.windows(2).map(|w| (w[1] / w[0]).ln());
    let total: f64 = widths.zip(heights).map(|(w, h)| w * h).sum();
    assert!((total - 664.0 / 784.0).abs() < 1e-12, "{total}");
}

#[test]
fn learning_curve_peaks_at_the_threshold_only_without_a_penalty() {
    let figure = draw("learning-curve");
    let panel = &figure.panels[0];
    let (none, small, best) =
        (line(panel, "no penalty"), line(panel, "ρ = 0.003"), line(panel, "best ρ"));
    let peak = none.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert!((peak.0 / 100.0 - 1.0).abs() < 0.02, "peak at {}", peak.0);
    for ((a, b), c) in none.iter().zip(small).zip(best) {
        assert!(c.1 <= a.1 * (1.0 + 1e-9) && c.1 <= b.1 * (1.0 + 1e-9), "n = {}", a.0);
    }
    assert!(best.windows(2).all(|w| w[1].1 < w[0].1), "the best ridge makes the risk monotone");
}

#[test]
fn information_is_the_integral_of_the_rate_and_the_gaussian_bounds_the_digits() {
    let figure = draw("entropy");
    for name in ["Gaussian", "random energy", "±1 pair", "Wishart"] {
        let (rate, information) = (line(&figure.panels[1], name), line(&figure.panels[2], name));
        let gained = information[0].1 - information[information.len() - 1].1;
        // Trapezoid rule, steps h = ln 400/259: h²/12 times the slopes at the ends, < 1e-4; a
        // jump falls between two points that are 2e-9 apart.
        assert!((integral(rate) - gained).abs() < 1e-4, "{name}: {} {gained}", integral(rate));
    }
    // Of all laws of a covariance the Gaussian has the largest mmse. The band is ±2 standard
    // errors; the bound asks for 5, and allows 1% for the interpolation of the Gaussian.
    let panel = &figure.panels[3];
    let gaussian = line(panel, "Gaussian");
    let band = panel.series.iter().find_map(|s| match &s.mark {
        Mark::Band { points } => Some(points),
        _ => None,
    });
    for &(sigma, low, high) in band.unwrap() {
        let above = gaussian.iter().find(|g| g.0 >= sigma * (1.0 - 1e-12)).unwrap().1;
        let (mean, error) = (0.5 * (low + high), 0.25 * (high - low));
        assert!(mean - 5.0 * error <= 1.01 * above, "σ = {sigma}: {mean} ± {error}, {above}");
    }
    let (gaussian, empirical) =
        (line(&figure.panels[5], "Gaussian"), line(&figure.panels[5], "empirical"));
    assert!(gaussian[0].1 > 10.0 * empirical[0].1);
    assert!((empirical[0].1 * 784.0 - 1e4f64.ln()).abs() < 0.01, "ln N at low noise");
}

#[test]
fn schedules_are_normalised() {
    let figure = draw("schedules");
    for panel in &figure.panels {
        for series in &panel.series {
            let Mark::Line { points, .. } = &series.mark else { panic!("not a line") };
            // EDM's law has 1.5e-6 of its mass outside the range; the trapezoid rule with steps
            // of 0.02 is good to 1e-4 for densities of width ≥ 0.1.
            let mass = integral(points);
            assert!((mass - 1.0).abs() < 2e-3, "{} {}: {mass}", panel.title, series.name);
        }
    }
}

#[test]
fn efficiencies_obey_their_identities() {
    let figure = draw("efficiency");
    // the part of each range, in ln σ, that has a rate
    let critical = (1f64.exp().powi(2) - 1.0).sqrt().recip();
    let shares = [1.0, 1.0, (80.0 / critical).ln() / LENGTH, 1.0, 1.0, 1.0];
    for (panel, share) in figure.panels.iter().zip(shares) {
        let Mark::Bars { values, .. } = &panel.series[0].mark else { panic!("not bars") };
        let &[best, other_clock, rate, uniform, edm, fitted] = &values[..] else {
            panic!("{} bars", values.len())
        };
        assert!((best - 1.0).abs() < 1e-9, "{}: {best}", panel.title);
        assert!(values.iter().all(|v| (0.0..=1.0).contains(v)));
        assert!(other_clock > 0.0 && fitted > edm, "{}", panel.title);
        // With π = √Ḣ/Z the rate's law and a uniform law on the same range have the efficiency
        // Z²/(length ∫Ḣ); the uniform law here also covers the part without a rate.
        let expected = uniform / share;
        // A sampled rate may be 0 already above the lower end of its table: a shorter length.
        let excess = rate / expected - 1.0;
        let sampled = panel.title.contains("empirical");
        let allowed = if sampled { 0.1 } else { 1e-6 };
        assert!((-1e-6..allowed).contains(&excess), "{}: {rate} {expected}", panel.title);
    }
}

#[test]
fn allocation_keeps_the_floor_and_spends_everything() {
    let figure = draw("allocation");
    let (draws, share) = (&figure.panels[0], &figure.panels[1]);
    for multiple in ["30", "10", "3", "1.2"] {
        let name = format!("N = {multiple} p|T|");
        let points = line(draws, &name);
        assert!(points.iter().all(|p| p.1 >= 100.0), "{name}: below p draws");
        let total = multiple.parse::<f64>().unwrap() * 100.0 * LENGTH;
        assert!((integral(points) / total - 1.0).abs() < 1e-3, "{name}");
        assert!((integral(line(share, &name)) - 1.0).abs() < 1e-3, "{name}");
    }
}

/// The best penalty is below every cut, and more features never hurt it; the contours exist.
#[test]
fn the_risk_surface_has_a_ridge_that_the_best_penalty_avoids() {
    let figure = draw("risk-surface");
    let best = line(&figure.panels[1], "best penalty");
    assert!(best.windows(2).all(|w| w[1].1 <= w[0].1 * (1.0 + 1e-9)));
    for name in ["λ/n = 0.001", "λ/n = 0.03"] {
        let cut = line(&figure.panels[1], name);
        let peak = cut.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!((0.5..1.2).contains(&peak.0), "{name}: {peak:?}");
        assert!(cut.iter().all(|&(_, risk)| risk >= best.last().unwrap().1));
    }
    let contours = &figure.panels[0].series;
    assert!(contours.iter().filter(|s| s.name == "excess risk").count() >= 8);
}
