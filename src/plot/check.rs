//! What makes a figure valid.

use super::PlotError;
use super::axis::Scale;
use super::figure::{Annotation, Figure, Mark, Panel};

impl Figure {
    /// Checks everything but the space for labels.
    pub(super) fn check(&self) -> Result<(), PlotError> {
        let (width, height) = (self.width, self.height);
        let side = 120..=4000;
        if !side.contains(&width) || !side.contains(&height) || width * height > 2_000_000 {
            return Err(PlotError::Size { width, height });
        }
        let panels = self.panels.len();
        if !(1..=26).contains(&panels) {
            return Err(PlotError::PanelCount { count: panels });
        }
        if !(1..=panels).contains(&self.columns) {
            return Err(PlotError::Columns { columns: self.columns, panels });
        }
        check_text(&self.title)?;
        self.panels.iter().enumerate().try_for_each(|(index, panel)| panel.check(index))
    }
}

impl Panel {
    fn check(&self, panel: usize) -> Result<(), PlotError> {
        for (axis, label, needed) in
            [("x", &self.x.label, true), ("y", &self.y.label, self.bar_labels().is_none())]
        {
            check_text(label)?;
            if needed && label.trim().is_empty() {
                return Err(PlotError::MissingLabel { panel, axis });
            }
        }
        check_text(&self.title)?;
        for series in &self.series {
            check_text(&series.name)?;
            let error = |reason| PlotError::Series { panel, series: series.name.clone(), reason };
            if matches!(series.mark, Mark::Bars { .. }) && self.series.len() > 1 {
                return Err(error("bars are valid only as the one series of their panel"));
            }
            series.mark.check(self.x.scale).map_err(error)?;
            let drawable = series.mark.corners(self.x.scale, self.y.scale);
            let bars = matches!(series.mark, Mark::Bars { .. });
            if !drawable
                .iter()
                .any(|p| self.x.scale.shows(p.0) && (bars || self.y.scale.shows(p.1)))
            {
                return Err(PlotError::EmptySeries { panel, series: series.name.clone() });
            }
        }
        for annotation in &self.annotations {
            let (x, y, text) = match annotation {
                Annotation::Vertical { x, label } => (Some(*x), None, label),
                Annotation::Horizontal { y, label } => (None, Some(*y), label),
                Annotation::Text { x, y, text } => (Some(*x), Some(*y), text),
            };
            check_text(text)?;
            for (value, scale) in [(x, self.x.scale), (y, self.y.scale)] {
                if let Some(value) = value.filter(|&v| !scale.shows(v)) {
                    return Err(PlotError::Annotation { panel, text: text.clone(), value });
                }
            }
        }
        Ok(())
    }
}

impl Mark {
    fn check(&self, x: Scale) -> Result<(), &'static str> {
        let valid = |ok: bool, reason| if ok { Ok(()) } else { Err(reason) };
        match self {
            Self::Line { width, .. } => {
                valid((0.1..=20.0).contains(width), "line widths from 0.1 to 20 px are valid")
            }
            Self::Points { .. } => Ok(()),
            Self::ErrorBars { points, .. } => {
                valid(!points.iter().any(|p| p.2 < 0.0), "error bars must be ≥ 0")
            }
            Self::Band { points } => {
                valid(!points.iter().any(|p| p.1 > p.2), "a band needs lower ≤ upper")
            }
            Self::Histogram { edges, heights } => {
                valid(!heights.is_empty(), "a histogram needs at least one column")?;
                valid(
                    edges.len() == heights.len() + 1,
                    "a histogram needs one more edge than heights",
                )?;
                valid(
                    edges.iter().all(|&e| x.shows(e)) && edges.windows(2).all(|w| w[0] < w[1]),
                    "edges must be finite and strictly increasing (and > 0 on a logarithmic axis)",
                )?;
                valid(
                    heights.iter().all(|h| h.is_finite() && *h >= 0.0),
                    "heights must be finite and ≥ 0",
                )
            }
            Self::Bars { labels, values, errors } => {
                valid(labels.len() == values.len(), "bars need as many labels as values")?;
                valid(
                    errors.is_empty() || errors.len() == values.len(),
                    "bars need as many errors as values, or none",
                )?;
                valid(
                    labels.iter().all(|l| check_text(l).is_ok()),
                    "labels of bars must be printable text on one line",
                )?;
                valid(
                    values.iter().all(|&v| x.shows(v)),
                    "values must be finite (and > 0 on a logarithmic axis)",
                )?;
                valid(
                    errors.iter().all(|e| e.is_finite() && *e >= 0.0),
                    "errors must be finite and ≥ 0",
                )
            }
        }
    }
}

fn check_text(text: &str) -> Result<(), PlotError> {
    // U+FFFE and U+FFFF are the other characters that XML forbids.
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}')) {
        return Err(PlotError::Text { text: text.to_owned() });
    }
    Ok(())
}
