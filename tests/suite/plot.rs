//! The drawing layer: ticks, clipping, and whole figures read back from their SVG and PNG.

use std::io::Read;

use proptest::prelude::*;
use rootrate::plot::clip::{Point, Rect};
use rootrate::plot::{
    Annotation, Axis, Colour, Corner, Dash, Figure, Legend, Mark, Panel, PlotError, Series, clip,
    ticks,
};

// ---------------------------------------------------------------------------- ticks

/// The number that a tick label shows, read back from its characters.
fn read_label(label: &str) -> f64 {
    let plain: String = label
        .chars()
        .map(|c| match c {
            '−' | '⁻' => '-',
            '⁰' => '0',
            '¹' => '1',
            '²' => '2',
            '³' => '3',
            '⁴'..='⁹' => char::from(b'4' + (c as u32 - '⁴' as u32) as u8),
            c => c,
        })
        .collect();
    let decimal = match (plain.split_once("×10"), label.strip_prefix("10")) {
        (Some((mantissa, exponent)), _) => format!("{mantissa}e{exponent}"),
        (None, Some(rest)) if rest.starts_with(|c: char| "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c)) =>
        {
            format!("1e{}", &plain[2..])
        }
        _ => plain,
    };
    decimal.parse().unwrap_or_else(|_| panic!("the label {label:?} is not a number"))
}

fn log_uniform(low: i32, high: i32) -> impl Strategy<Value = f64> {
    (f64::from(low)..f64::from(high)).prop_map(|e| 10f64.powf(e))
}

proptest! {
    /// Ticks lie in the range, are evenly spaced by 1, 2 or 5 times a power of ten, leave less
    /// than a step free at either end, and their labels read back as exactly their values.
    #[test]
    fn linear_ticks_are_nice_and_cover(
        centre in -1e3..1e3f64, width in log_uniform(-9, 9), scale in -280i32..280, max in 2usize..=12,
    ) {
        let unit = 10f64.powi(scale);
        let (lower, upper) = ((centre - width / 2.0) * unit, (centre + width / 2.0) * unit);
        let marks = ticks::linear(lower, upper, max);
        let n = marks.major.len();
        prop_assert!((1..=max).contains(&n));
        prop_assert!(marks.minor.is_empty());
        for (value, label) in &marks.major {
            prop_assert_eq!(read_label(label), *value);
        }
        if n >= 2 {
            let step = (marks.major[n - 1].0 - marks.major[0].0) / (n - 1) as f64;
            let mantissa = step / 10f64.powf(step.log10().floor());
            let nice = [1.0, 2.0, 5.0, 10.0].iter().any(|m| (mantissa / m - 1.0).abs() < 1e-3);
            prop_assert!(nice, "step {step:e}");
            let slack = 1e-3 * step; // rounding of (centre ± width/2)·unit, at most 1e-13·1e9 steps
            prop_assert!(marks.major[0].0 >= lower - slack);
            prop_assert!(marks.major[n - 1].0 <= upper + slack);
            prop_assert!(marks.major[0].0 - step < lower + slack);
            prop_assert!(marks.major[n - 1].0 + step > upper - slack);
        }
        // The next finer step, at least 2/5 of this one, would give more than max ticks.
        if max >= 5 {
            prop_assert!(n >= 2, "{n} ticks where {max} may be");
        }
    }

    /// As above for logarithmic axes: labels read back exactly, no gap is larger than the
    /// decades left out, minor ticks are where the labels are not.
    #[test]
    fn log_ticks_read_back_and_cover(
        lower in log_uniform(-290, 280), decades in 0.01..20.0f64, max in 3usize..=12,
    ) {
        let upper = lower * 10f64.powf(decades);
        let marks = ticks::log10(lower, upper, max);
        prop_assert!((1..=max).contains(&marks.major.len()), "{:?}", marks.major);
        for (value, label) in &marks.major {
            prop_assert_eq!(read_label(label), *value);
        }
        let within = |v: f64| v >= lower * (1.0 - 1e-9) && v <= upper * (1.0 + 1e-9);
        prop_assert!(marks.major.iter().map(|m| m.0).chain(marks.minor.iter().copied()).all(within));
        prop_assert!(marks.major.windows(2).all(|w| w[0].0 < w[1].0));
        prop_assert!(marks.minor.windows(2).all(|w| w[0] < w[1]));
        if decades >= 2.0 {
            let gap = marks.major[1].0.log10() - marks.major[0].0.log10();
            prop_assert!((gap - gap.round()).abs() < 1e-9);
            prop_assert!(marks.major[0].0.log10() - gap < lower.log10());
            prop_assert!(marks.major[marks.major.len() - 1].0.log10() + gap > upper.log10());
        }
    }
}

#[test]
fn tick_labels_as_a_reader_expects_them() {
    let labels = |t: ticks::Ticks| t.major.into_iter().map(|m| m.1).collect::<Vec<_>>().join(" ");
    assert_eq!(labels(ticks::linear(0.0, 1.0, 6)), "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_eq!(labels(ticks::linear(-0.3, 0.3, 7)), "−0.3 −0.2 −0.1 0.0 0.1 0.2 0.3");
    assert_eq!(labels(ticks::linear(0.0, 40_000.0, 5)), "0 10000 20000 30000 40000");
    assert_eq!(labels(ticks::linear(0.0, 1.2e-7, 4)), "0 0.5×10⁻⁷ 1.0×10⁻⁷");
    assert_eq!(labels(ticks::linear(0.0, 3e300, 4)), "0 1×10³⁰⁰ 2×10³⁰⁰ 3×10³⁰⁰");
    assert_eq!(labels(ticks::log10(1e-3, 1e2, 8)), "10⁻³ 10⁻² 10⁻¹ 10⁰ 10¹ 10²");
    assert_eq!(labels(ticks::log10(1e-3, 1e2, 4)), "10⁻² 10⁰ 10²");
    assert_eq!(labels(ticks::log10(0.3, 7.0, 8)), "0.5 1 2 5");
    assert_eq!(labels(ticks::log10(3e-7, 7e-6, 8)), "5×10⁻⁷ 10⁻⁶ 2×10⁻⁶ 5×10⁻⁶");
    assert_eq!(labels(ticks::log10(1.1, 1.34, 4)), "1.1 1.2 1.3");
    // 2 … 9 times each power of ten.
    assert_eq!(ticks::log10(1.0, 100.0, 8).minor.len(), 16);
}

#[test]
fn values_at_bars_as_a_reader_expects_them() {
    for (value, error, label) in [
        (0.98765, None, "0.988"),
        (-12.345, None, "−12.3"),
        (0.0, None, "0.00"),
        (0.987, Some(0.0041), "0.987 ± 0.004"),
        (0.8841, Some(0.0123), "0.884 ± 0.012"),
        (0.751, Some(0.0), "0.751"),
        (-0.001, Some(0.2), "0.00 ± 0.20"),
        (1.234e-9, None, "1.23×10⁻⁹"),
        (1.234e200, Some(2e198), "(1.234 ± 0.020)×10²⁰⁰"),
    ] {
        assert_eq!(ticks::value_label(value, error), label);
    }
}

// ------------------------------------------------------------------------- clipping

const BOX: Rect = Rect { x0: 0.0, y0: 0.0, x1: 10.0, y1: 6.0 };

fn length(path: &[Point]) -> f64 {
    path.windows(2).map(|w| (w[1].0 - w[0].0).hypot(w[1].1 - w[0].1)).sum()
}

/// Even-odd rule, by the angle that the polygon subtends rather than by ray crossings.
fn winds_around(polygon: &[Point], p: Point) -> bool {
    let angle = |q: &Point| (q.1 - p.1).atan2(q.0 - p.0);
    let next = polygon.iter().cycle().skip(1);
    let turn = |(a, b): (&Point, &Point)| {
        let d = angle(b) - angle(a);
        d - std::f64::consts::TAU * (d / std::f64::consts::TAU).round()
    };
    polygon.iter().zip(next).map(turn).sum::<f64>().abs() > 1.0
}

proptest! {
    /// Parts lie in the box, keep every vertex inside it, and have the length that dense
    /// sampling of the line finds inside the box.
    #[test]
    fn a_clipped_line_is_the_line_in_the_box(
        points in prop::collection::vec((-15.0..25.0f64, -12.0..18.0f64), 2..8),
    ) {
        let parts = clip::polyline(&points, &BOX);
        prop_assert!(parts.iter().flatten().all(|&p| BOX.contains(p)));
        let kept: Vec<Point> = parts.iter().flatten().copied().filter(|p| points.contains(p)).collect();
        let expected: Vec<Point> = points.iter().copied().filter(|&p| BOX.contains(p)).collect();
        prop_assert_eq!(kept, expected);

        const SAMPLES: usize = 4000;
        let mut sampled = 0.0;
        for w in points.windows(2) {
            let inside = (0..SAMPLES).filter(|&i| {
                let u = (i as f64 + 0.5) / SAMPLES as f64;
                BOX.contains((w[0].0 + u * (w[1].0 - w[0].0), w[0].1 + u * (w[1].1 - w[0].1)))
            });
            sampled += length(w) * inside.count() as f64 / SAMPLES as f64;
        }
        let clipped: f64 = parts.iter().map(|p| length(p)).sum();
        // Two ends a segment, each found to half a sample of a segment of at most 50.
        let tolerance = points.len() as f64 * 50.0 / SAMPLES as f64;
        prop_assert!((clipped - sampled).abs() <= tolerance, "{clipped} against {sampled}");
    }

    /// The area of a clipped star-shaped polygon is that of the grid cells whose centres lie in
    /// both polygon and box.
    #[test]
    fn a_clipped_polygon_is_the_polygon_in_the_box(
        centre in (-3.0..13.0f64, -3.0..9.0f64), radii in prop::collection::vec(0.5..9.0f64, 3..9),
    ) {
        let n = radii.len() as f64;
        let corner = |(i, r): (usize, &f64)| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / n).sin_cos();
            (centre.0 + r * cos, centre.1 + r * sin)
        };
        let polygon: Vec<Point> = radii.iter().enumerate().map(corner).collect();
        let cut = clip::polygon(&polygon, &BOX);
        prop_assert!(cut.iter().all(|&p| BOX.contains(p)));
        let next = cut.iter().cycle().skip(1);
        let area = cut.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>().abs() / 2.0;

        const CELLS: usize = 60;
        let (dx, dy) = (BOX.width() / CELLS as f64, BOX.height() / CELLS as f64);
        let inside = (0..CELLS * CELLS).filter(|k| {
            let (i, j) = (k / CELLS, k % CELLS);
            winds_around(&polygon, ((i as f64 + 0.5) * dx, (j as f64 + 0.5) * dy))
        });
        let counted = inside.count() as f64 * dx * dy;
        // Only cells that the outline crosses can be miscounted; an edge crosses at most
        // CELLS + CELLS of them, and about half of each cell is wrong by at most half of it.
        let tolerance = 0.5 * n * CELLS as f64 * dx * dy;
        prop_assert!((area - counted).abs() <= tolerance, "{area} against {counted}");
    }

    /// Dashes cover the share of the line that the pattern says, up to one period.
    #[test]
    fn dashes_follow_their_pattern(
        points in prop::collection::vec((0.0..50.0f64, 0.0..50.0f64), 2..6),
        dash in 0.5..5.0f64, gap in 0.5..5.0f64,
    ) {
        let total = length(&points);
        let parts = clip::dashes(&points, &[dash, gap]);
        prop_assert!(parts.iter().all(|p| length(p) <= dash * (1.0 + 1e-9)));
        let drawn: f64 = parts.iter().map(|p| length(p)).sum();
        let periods = (total / (dash + gap)).floor();
        let expected = periods * dash + (total - periods * (dash + gap)).min(dash);
        prop_assert!((drawn - expected).abs() < 1e-6 * (1.0 + total), "{drawn} against {expected}");
    }
}

#[test]
fn a_line_beyond_the_border_is_cut_not_bent() {
    // Clamping (20, 12) to the corner would keep the slope by accident; (20, 3) would not.
    let parts = clip::polyline(&[(5.0, 3.0), (20.0, 9.0), (20.0, 20.0), (5.0, 5.0)], &BOX);
    assert_eq!(parts, [vec![(5.0, 3.0), (10.0, 5.0)], vec![(6.0, 6.0), (5.0, 5.0)]]);
    assert!(clip::polyline(&[(-1.0, -1.0), (-1.0, 9.0), (11.0, 9.0)], &BOX).is_empty());
}

#[test]
fn nan_is_a_gap_and_a_lonely_point_is_kept() {
    let gap = (f64::NAN, 1.0);
    let parts = clip::polyline(&[(1.0, 1.0), (2.0, 2.0), gap, (3.0, 3.0), gap, (9.0, 9.0)], &BOX);
    assert_eq!(parts, [vec![(1.0, 1.0), (2.0, 2.0)], vec![(3.0, 3.0)]]);
    assert!(clip::polyline(&[], &BOX).is_empty());
}

// -------------------------------------------------------------------------- figures

fn panel(series: Vec<Series>) -> Panel {
    Panel { series, ..Panel::new(Axis::linear("x (m)"), Axis::linear("y (s)")) }
}

fn single(panel: Panel) -> Figure {
    Figure::new(480, 360, vec![panel])
}

fn bars(values: Vec<f64>, errors: Vec<f64>) -> Series {
    Series::bars((0..values.len()).map(|i| format!("law {i}")).collect(), values, errors)
}

/// Every kind of mark, annotation and legend in four panels.
fn everything() -> Figure {
    let wave = |k: f64| (0..80).map(move |i| (f64::from(i) / 8.0, (f64::from(i) / 8.0 + k).sin()));
    let mut first = panel(vec![
        Series::band("interval", 0, wave(0.0).map(|(x, y)| (x, y - 0.2, y + 0.2)).collect()),
        Series::line("mean", 0, wave(0.0).collect()),
        Series::line("shifted", 1, wave(1.0).collect()),
        Series::error_bars("measured", 2, wave(0.3).step_by(9).map(|(x, y)| (x, y, 0.1)).collect()),
    ]);
    first.annotations = vec![
        Annotation::Vertical { x: 3.0, label: "threshold".into() },
        Annotation::Horizontal { y: 0.5, label: "half".into() },
        Annotation::Text { x: 9.0, y: -0.5, text: "a text at the edge".into() },
    ];
    let power = |a: f64| (1..40).map(move |i| (f64::from(i), f64::from(i).powf(-a))).collect();
    let mut second = Panel::new(Axis::log("n (samples)"), Axis::log("error (data units²)"));
    second.series =
        (0..6).map(|k| Series::points(format!("exponent {k}"), k, power(0.5 * k as f64))).collect();
    second.legend = Legend::Corner(Corner::BottomLeft);
    let third = panel(vec![
        Series::histogram("counts", 4, vec![0.0, 1.0, 1.5, 3.0], vec![0.2, 0.6, 0.1]),
        Series::line("density", 2, vec![(0.0, 0.0), (1.0, 0.5), (3.0, 0.1)]),
    ]);
    let mut fourth = panel(vec![bars(vec![0.9, 0.5, 0.75], vec![0.01, 0.02, 0.0])]);
    fourth.y.label = String::new();
    fourth.title = "Efficiency < 1 & more".into();
    let mut figure = Figure::new(900, 700, vec![first, second, third, fourth]);
    figure.columns = 2;
    figure.title = "Everything".into();
    figure
}

/// The value of an attribute of an SVG element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let start = element.find(&format!(" {name}=\""))? + name.len() + 3;
    element[start..].split('"').next()
}

/// The points that an SVG element reaches, in logical pixels: vertices and text extents.
fn extent(element: &str) -> Vec<Point> {
    const SCALE: f64 = 20.0;
    let number = |name| attribute(element, name).and_then(|v| v.parse::<f64>().ok());
    let mut points: Vec<Point> = Vec::new();
    if let Some(list) = attribute(element, "points") {
        for pair in list.split_whitespace() {
            let (x, y) = pair.split_once(',').expect("a pair");
            points.push((x.parse().expect("a number"), y.parse().expect("a number")));
        }
    } else if let (Some(x), Some(y), Some(r)) = (number("cx"), number("cy"), number("r")) {
        points.extend([(x - r, y - r), (x + r, y + r)]);
    } else if let (Some(x), Some(y), Some(length)) =
        (number("x"), number("y"), number("textLength"))
    {
        let start = match attribute(element, "text-anchor") {
            Some("start") => 0.0,
            Some("middle") => -length / 2.0,
            _ => -length,
        };
        // The backend hangs a text by its top; its height is that of the font.
        let height = number("font-size").expect("a font size");
        let (along, across) = ([start, start + length], [0.0, height]);
        let turned = attribute(element, "transform").is_some();
        for (a, b) in [(along[0], across[0]), (along[1], across[1])] {
            points.push(if turned { (x + b, y - a) } else { (x + a, y + b) });
        }
    } else if let (Some(x), Some(y), Some(w), Some(h)) =
        (number("x"), number("y"), number("width"), number("height"))
    {
        points.extend([(x, y), (x + w, y + h)]);
    }
    points.iter().map(|p| (p.0 / SCALE, p.1 / SCALE)).collect()
}

/// Nothing but the white background comes within 2 px of the border: nothing is cut, and no
/// NaN was taken for 0.
fn assert_inside(figure: &Figure, svg: &str) {
    let (width, height) = (f64::from(figure.width), f64::from(figure.height));
    let canvas = Rect { x0: 2.0, y0: 2.0, x1: width - 2.0, y1: height - 2.0 };
    for element in svg.split('<').skip(1).filter(|e| !e.starts_with('/') && !e.starts_with("svg")) {
        let points = extent(element);
        assert!(!points.is_empty(), "unknown element {element}");
        if points == [(0.0, 0.0), (width, height)] && element.starts_with("rect") {
            continue;
        }
        for p in points {
            assert!(canvas.contains(p), "{p:?} of {element} leaves {width} × {height}");
        }
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf\""));
}

#[test]
fn a_figure_is_the_same_bytes_every_time() {
    let figure = everything();
    let (svg, png) = (figure.to_svg().unwrap(), figure.to_png().unwrap());
    let other = std::thread::spawn(move || {
        let figure = everything();
        (figure.to_svg().unwrap(), figure.to_png().unwrap())
    });
    assert!((svg, png) == other.join().unwrap());
}

#[test]
fn a_figure_stays_on_its_canvas() {
    let figure = everything();
    let svg = figure.to_svg().unwrap();
    assert_inside(&figure, &svg);
    for text in ["(a)", "(d)", "threshold", "exponent 5", "0.900 ± 0.010", "Efficiency &lt; 1"] {
        assert!(svg.contains(text), "{text} is missing");
    }
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    assert_eq!(svg.matches("<text").count(), svg.matches("textLength").count());
}

/// Texts of the same panel do not overlap each other.
#[test]
fn texts_keep_clear_of_each_other() {
    for figure in [everything(), single(panel(vec![bars(vec![1e-9, 3e-9], vec![])]))] {
        let svg = figure.to_svg().unwrap();
        let boxes: Vec<(String, Rect)> = svg
            .split("<text")
            .skip(1)
            .filter_map(|element| element.split("</text>").next())
            .map(|element| {
                let p = extent(&format!("<text{element}"));
                let (a, b) = (p[0], p[1]);
                let rect =
                    Rect { x0: a.0.min(b.0), y0: a.1.min(b.1), x1: a.0.max(b.0), y1: a.1.max(b.1) };
                let text = element.split(['>', '<']).nth(1).unwrap_or_default().to_owned();
                (text, rect)
            })
            .collect();
        for (i, (text, rect)) in boxes.iter().enumerate() {
            for (other, other_rect) in &boxes[i + 1..] {
                assert!(!rect.overlaps(other_rect), "{text:?} overlaps {other:?}");
            }
        }
    }
}

/// The legend moves above the box where data fill the box, and stays inside where they do not.
#[test]
fn an_automatic_legend_does_not_cover_data() {
    let legend_height = |series: Vec<Series>| {
        let svg = single(panel(series)).to_svg().unwrap();
        let label = svg.split('<').find(|t| t.ends_with(">the data")).unwrap();
        extent(label)[0].1
    };
    let box_top = 10.0 + 13.0 / 2.0; // padding and half a tick label
    let diagonal = Series::line("the data", 0, vec![(0.0, 0.0), (1.0, 1.0)]);
    let zigzag = (0..400).map(|i| (f64::from(i), f64::from(i % 2))).collect();
    assert!(legend_height(vec![diagonal]) > box_top);
    assert!(legend_height(vec![Series::line("the data", 0, zigzag)]) < box_top);
}

#[test]
fn data_outside_an_explicit_range_are_cut_at_the_box() {
    let steep = Series::line("", 0, vec![(-1.0, -50.0), (0.0, 0.0), (1.0, 50.0), (2.0, 1e300)]);
    let mut p = panel(vec![steep.colour(Colour::Purple)]);
    p.x = p.x.range(-1.0, 2.0);
    p.y = p.y.range(-1.0, 1.0);
    let svg = single(p).to_svg().unwrap();
    let line = svg.split('<').find(|e| e.contains("#CC79A7")).unwrap();
    // y = 50 x meets the box at x = ±0.02: 0.04 of 3 units of its width.
    let points = extent(line);
    let (first, last) = (points[0], points[points.len() - 1]);
    let plot =
        svg.split('<').rfind(|e| e.starts_with("polyline") && e.contains("#222222")).unwrap();
    let width = extent(plot).iter().map(|p| p.0).fold(0.0, f64::max)
        - extent(plot).iter().map(|p| p.0).fold(f64::INFINITY, f64::min);
    assert!((last.0 - first.0 - 0.04 / 3.0 * width).abs() < 0.11, "on a grid of 1/20 px");
}

/// The PNG decoded by hand: chunk sums (by the bitwise definition of CRC-32), size, colours.
#[test]
fn the_png_decodes_to_the_figure() {
    let mut p = panel(vec![bars(vec![1.0, 1.0], vec![])]);
    p.x = p.x.range(0.0, 2.0);
    let figure = single(p);
    let png = figure.to_png().unwrap();
    let crc = |data: &[u8]| {
        !data.iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |c, _| (c >> 1) ^ (0xEDB8_8320 * (c & 1)))
        })
    };
    assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
    let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let (mut at, mut kinds, mut data) = (8, Vec::new(), Vec::new());
    while at < png.len() {
        let length = word(at) as usize;
        let body = &png[at + 4..at + 8 + length];
        assert_eq!(word(at + 8 + length), crc(body));
        if body.starts_with(b"IDAT") {
            data.extend(&body[4..]);
        }
        kinds.push(String::from_utf8_lossy(&body[..4]).into_owned());
        at += length + 12;
    }
    assert_eq!(kinds, ["IHDR", "pHYs", "IDAT", "IEND"]);
    let (width, height) = (word(16) as usize, word(20) as usize);
    assert_eq!((width, height), (960, 720));
    let mut rows = Vec::new();
    flate2::read::ZlibDecoder::new(&data[..]).read_to_end(&mut rows).unwrap();
    assert_eq!(rows.len(), (1 + 3 * width) * height);

    let mut blue = 0.0;
    for row in rows.chunks_exact(1 + 3 * width) {
        assert_eq!(row[0], 0, "filter");
        assert_eq!(row[1..4], [255; 3], "the border is white");
        blue += row[1..].chunks_exact(3).filter(|&c| c == [0x00, 0x72, 0xB2]).count() as f64;
    }
    // Two bars of 26 px, each half as long as the box, in pixels of half a logical one.
    let svg = figure.to_svg().unwrap();
    let bar = extent(svg.split('<').find(|e| e.contains("#0072B2")).unwrap());
    let length = bar.iter().map(|p| p.0).fold(0.0, f64::max)
        - bar.iter().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let expected = 2.0 * 26.0 * length * 4.0;
    assert!((blue / expected - 1.0).abs() < 0.02, "{blue} pixels, {expected} expected");
}

/// Hostile but valid data: each is drawn, on the canvas.
#[test]
fn extreme_data_are_drawn() {
    let line = |points: &[Point]| Series::line("s", 1, points.to_vec());
    for (name, series) in [
        ("one point", line(&[(3.0, 4.0)])),
        ("constant", line(&[(0.0, 7.0), (1.0, 7.0)])),
        ("zero", line(&[(0.0, 0.0)])),
        ("almost constant", line(&[(0.0, 1.0), (1.0, 1.0 + 1e-15)])),
        ("tiny", line(&[(1e-300, 2e-300), (3e-300, 1e-300)])),
        ("subnormal", line(&[(0.0, 5e-324), (1e-310, 2e-320)])),
        ("huge", line(&[(-f64::MAX, f64::MAX), (f64::MAX, -f64::MAX)])),
        ("mixed", line(&[(5e-324, 1.0), (1.0, 1e-300), (f64::MAX, f64::MAX)])),
        ("gaps", line(&[(f64::NAN, 1.0), (1.0, f64::INFINITY), (2.0, 2.0), (f64::NAN, 3.0)])),
        ("infinite error", Series::error_bars("e", 2, vec![(1.0, 1.0, f64::INFINITY)])),
        ("no error", Series::error_bars("e", 2, vec![(1.0, 1.0, f64::NAN)])),
    ] {
        for (x, y) in [
            (Axis::linear("x (m)"), Axis::linear("y (s)")),
            (Axis::log("x (m)"), Axis::log("y (s)")),
        ] {
            let log = x.scale == rootrate::plot::Scale::Log10;
            let figure = single(Panel { series: vec![series.clone()], ..Panel::new(x, y) });
            match figure.to_svg() {
                Ok(svg) => assert_inside(&figure, &svg),
                Err(PlotError::EmptySeries { .. }) if log => {}
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    let negative = single(panel(vec![bars(vec![-0.5, 0.25, -1e-3], vec![])]));
    assert_inside(&negative, &negative.to_svg().unwrap());
    let mut wide = single(panel(vec![Series::line("long name ".repeat(30), 0, vec![(0.0, 1.0)])]));
    wide.title = "long title ".repeat(40);
    wide.panels[0].y.label = "long label ".repeat(40);
    wide.panels[0].annotations =
        vec![Annotation::Vertical { x: 0.0, label: "long annotation ".repeat(30) }];
    assert_inside(&wide, &wide.to_svg().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any floats in any mark on any axes give a figure on its canvas or a typed error.
    #[test]
    fn no_data_make_a_figure_fail_badly(
        data in prop::collection::vec((any::<f64>(), any::<f64>(), any::<f64>()), 0..12),
        kind in 0usize..6, log_x: bool, log_y: bool,
        range in prop::option::of((any::<f64>(), any::<f64>())), note in any::<f64>(),
    ) {
        let pairs: Vec<Point> = data.iter().map(|p| (p.0, p.1)).collect();
        let series = match kind {
            0 => Series::line("s", 1, pairs),
            1 => Series::points("s", 2, pairs),
            2 => Series::error_bars("s", 3, data),
            3 => Series::band("s", 4, data),
            4 => Series::histogram("s", 5, data.iter().map(|p| p.0).collect(), data.iter().skip(1).map(|p| p.1).collect()),
            _ => bars(data.iter().map(|p| p.0).collect(), data.iter().map(|p| p.1).collect()),
        };
        let axis = |log, label| if log { Axis::log(label) } else { Axis::linear(label) };
        let mut p = Panel { series: vec![series], ..Panel::new(axis(log_x, "x (m)"), axis(log_y, "y (s)")) };
        p.y.range = range;
        p.annotations = vec![Annotation::Vertical { x: note, label: "note".into() }];
        let figure = single(p);
        if let Ok(svg) = figure.to_svg() {
            assert_inside(&figure, &svg);
        }
    }
}

#[test]
fn every_error_is_reached() {
    let line = || Series::line("curve", 0, vec![(0.0, 0.0), (1.0, 1.0)]);
    let good = || panel(vec![line()]);
    let error = |figure: Figure| {
        let error = figure.to_svg().unwrap_err();
        assert_eq!(figure.to_png().unwrap_err().to_string(), error.to_string());
        error
    };
    let of = |p: Panel| error(single(p));
    let series = |s: Series| match of(panel(vec![s])) {
        PlotError::Series { panel: 0, reason, .. } => reason,
        other => panic!("{other:?}"),
    };

    assert_eq!(error(Figure::new(480, 360, vec![])), PlotError::PanelCount { count: 0 });
    assert_eq!(
        error(Figure::new(1900, 1000, vec![good(); 27])),
        PlotError::PanelCount { count: 27 }
    );
    for columns in [0, 2] {
        let figure = Figure { columns, ..single(good()) };
        assert_eq!(error(figure), PlotError::Columns { columns, panels: 1 });
    }
    for (width, height) in [(0, 360), (119, 360), (u32::MAX, u32::MAX), (2000, 1001)] {
        let figure = Figure::new(width, height, vec![good()]);
        assert_eq!(error(figure), PlotError::Size { width, height });
    }
    assert_eq!(error(Figure::new(400, 300, vec![good(); 5])), PlotError::TooSmall { panel: 0 });
    for (axis, x, y) in [("x", " ", "y (s)"), ("y", "x (m)", "")] {
        let p = Panel { series: vec![line()], ..Panel::new(Axis::linear(x), Axis::linear(y)) };
        assert_eq!(of(p), PlotError::MissingLabel { panel: 0, axis });
    }
    let two_lines = Panel { title: "two\nlines".into(), ..good() };
    assert_eq!(of(two_lines), PlotError::Text { text: "two\nlines".into() });
    for (lower, upper) in [
        (1.0, 0.0),
        (0.0, 0.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
        (1.0, 1.0 + 1e-14),
        (0.0, 1e-310),
    ] {
        let mut p = good();
        p.y = p.y.range(lower, upper);
        assert!(matches!(of(p), PlotError::Range { panel: 0, axis: "y", .. }));
    }
    let mut p = good();
    p.x = Axis::log("x (m)").range(0.0, 1.0);
    assert!(matches!(of(p), PlotError::Range { axis: "x", .. }));
    assert_eq!(of(panel(vec![])), PlotError::NoData { panel: 0, axis: "x" });
    for points in [vec![], vec![(f64::NAN, 1.0), (1.0, f64::INFINITY)]] {
        let empty = of(panel(vec![line(), Series::points("none", 1, points)]));
        assert_eq!(empty, PlotError::EmptySeries { panel: 0, series: "none".into() });
    }
    let mut p = panel(vec![Series::line("curve", 0, vec![(-1.0, 1.0), (0.0, 2.0)])]);
    p.x = Axis::log("x (m)");
    assert!(matches!(of(p), PlotError::EmptySeries { .. }));
    for (x, text) in [(f64::NAN, "edge"), (f64::INFINITY, "edge")] {
        let mut p = good();
        p.annotations = vec![Annotation::Vertical { x, label: text.into() }];
        assert!(matches!(of(p), PlotError::Annotation { panel: 0, .. }));
    }

    let mut thick = line();
    thick.mark = Mark::Line { points: vec![(0.0, 0.0)], dash: Dash::Solid, width: f64::NAN };
    assert!(series(thick).contains("line widths"));
    assert!(series(Series::error_bars("e", 0, vec![(0.0, 0.0, -1.0)])).contains("error bars"));
    assert!(series(Series::band("b", 0, vec![(0.0, 1.0, 0.0)])).contains("lower ≤ upper"));
    let histogram = |edges: &[f64], heights: &[f64]| {
        series(Series::histogram("h", 0, edges.to_vec(), heights.to_vec()))
    };
    assert!(histogram(&[], &[]).contains("at least one column"));
    assert!(histogram(&[0.0, 1.0], &[1.0, 1.0]).contains("one more edge"));
    assert!(histogram(&[0.0, 0.0], &[1.0]).contains("strictly increasing"));
    assert!(histogram(&[0.0, f64::NAN], &[1.0]).contains("finite"));
    assert!(histogram(&[0.0, 1.0], &[f64::NAN]).contains("heights"));
    assert!(series(Series::bars(vec![], vec![1.0], vec![])).contains("as many labels"));
    assert!(series(bars(vec![1.0], vec![1.0, 2.0])).contains("as many errors"));
    assert!(series(bars(vec![f64::NAN], vec![])).contains("values must be finite"));
    assert!(series(bars(vec![1.0], vec![-1.0])).contains("errors must be finite"));
    let control = Series::bars(vec!["a\0".into()], vec![1.0], vec![]);
    assert!(series(control).contains("printable"));
    assert!(matches!(of(panel(vec![bars(vec![1.0], vec![]), line()])), PlotError::Series { .. }));
    assert!(matches!(of(panel(vec![bars(vec![], vec![])])), PlotError::EmptySeries { .. }));
}
