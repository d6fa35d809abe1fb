//! Colours, dash patterns, markers and sizes of type.

use plotters::style::RGBColor;

/// The Okabe–Ito colours (safe for colour-blind readers) that are dark enough for thin lines on
/// white, and a grey for reference lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// `#0072B2`
    Blue,
    /// `#D55E00`
    Vermillion,
    /// `#000000`
    Black,
    /// `#E69F00`
    Orange,
    /// `#009E73`
    Green,
    /// `#56B4E9`
    SkyBlue,
    /// `#CC79A7`
    Purple,
    /// `#707070`
    Grey,
}

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// ────
    Solid,
    /// – – –
    Dashed,
    /// – · –
    DashDot,
    /// · · ·
    Dotted,
    /// —— ——
    LongDash,
    /// – · · –
    DashDotDot,
}

/// The symbol of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ◆
    Diamond,
    /// ▼
    TriangleDown,
    /// ✕
    Cross,
}

impl Colour {
    /// The seven colours in the order in which series take them: neighbours differ in
    /// lightness, so that they stay apart in greyscale.
    pub const CYCLE: [Self; 7] = [
        Self::Blue,
        Self::Orange,
        Self::Black,
        Self::Vermillion,
        Self::SkyBlue,
        Self::Green,
        Self::Purple,
    ];

    /// The colour of the k-th series, counted from 0.
    pub fn nth(k: usize) -> Self {
        Self::CYCLE[k % Self::CYCLE.len()]
    }

    pub(super) fn rgb(self) -> RGBColor {
        match self {
            Self::Blue => RGBColor(0x00, 0x72, 0xB2),
            Self::Vermillion => RGBColor(0xD5, 0x5E, 0x00),
            Self::Black => RGBColor(0, 0, 0),
            Self::Orange => RGBColor(0xE6, 0x9F, 0x00),
            Self::Green => RGBColor(0x00, 0x9E, 0x73),
            Self::SkyBlue => RGBColor(0x56, 0xB4, 0xE9),
            Self::Purple => RGBColor(0xCC, 0x79, 0xA7),
            Self::Grey => RGBColor(0x70, 0x70, 0x70),
        }
    }
}

impl Dash {
    /// The patterns in the order in which series take them.
    pub const CYCLE: [Self; 6] =
        [Self::Solid, Self::Dashed, Self::DashDot, Self::Dotted, Self::LongDash, Self::DashDotDot];

    /// The pattern of the k-th series, counted from 0.
    pub fn nth(k: usize) -> Self {
        Self::CYCLE[k % Self::CYCLE.len()]
    }

    /// Lengths of dash, gap, dash, gap … in units of the line width; empty for solid.
    pub(super) fn pattern(self) -> &'static [f64] {
        match self {
            Self::Solid => &[],
            Self::Dashed => &[4.5, 2.5],
            Self::DashDot => &[5.0, 2.0, 1.2, 2.0],
            Self::Dotted => &[1.2, 1.8],
            Self::LongDash => &[9.0, 2.5],
            Self::DashDotDot => &[5.0, 1.8, 1.2, 1.8, 1.2, 1.8],
        }
    }
}

impl Marker {
    /// The markers in the order in which series take them.
    pub const CYCLE: [Self; 6] = [
        Self::Circle,
        Self::Square,
        Self::Triangle,
        Self::Diamond,
        Self::TriangleDown,
        Self::Cross,
    ];

    /// The marker of the k-th series, counted from 0.
    pub fn nth(k: usize) -> Self {
        Self::CYCLE[k % Self::CYCLE.len()]
    }

    /// The outline relative to a circle of radius 1 (y downwards); the areas are about equal.
    pub(super) fn outline(self) -> &'static [(f64, f64)] {
        const C: f64 = 0.34;
        match self {
            Self::Circle => &[],
            Self::Square => &[(-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)],
            Self::Triangle => &[(0.0, -1.3), (1.16, 0.75), (-1.16, 0.75)],
            Self::TriangleDown => &[(0.0, 1.3), (1.16, -0.75), (-1.16, -0.75)],
            Self::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
            Self::Cross => &[
                (0.0, -C),
                (1.0 - C, -1.0),
                (1.0, C - 1.0),
                (C, 0.0),
                (1.0, 1.0 - C),
                (1.0 - C, 1.0),
                (0.0, C),
                (C - 1.0, 1.0),
                (-1.0, 1.0 - C),
                (-C, 0.0),
                (-1.0, C - 1.0),
                (C - 1.0, -1.0),
            ],
        }
    }
}

/// Sizes in logical pixels.
pub(super) mod size {
    /// Tick labels.
    pub(crate) const TICK: f64 = 13.0;
    /// Axis labels.
    pub(crate) const LABEL: f64 = 14.5;
    /// Legend, annotations and values at bars.
    pub(crate) const LEGEND: f64 = 13.0;
    /// Panel letters and titles.
    pub(crate) const HEADER: f64 = 14.5;
    /// The figure's title.
    pub(crate) const TITLE: f64 = 17.0;
    /// Radius of a marker.
    pub(crate) const MARKER: f64 = 3.4;
    /// Length of major ticks; minor ones are 0.6 of it.
    pub(crate) const TICK_LENGTH: f64 = 4.5;
}

pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub(super) const GRID: RGBColor = RGBColor(0xE3, 0xE3, 0xE3);
pub(super) const WHITE: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);
