//! The general law against the eigenvalues of one simulated sample covariance.

use super::spectrum::{count, law_line};
use super::{Failure, GalleryError, in_figure};
use crate::montecarlo::Stream;
use crate::numeric::linalg::{gram, gram_outer, symmetric_eigenvalues};
use crate::plot::{Annotation, Axis, Colour, Mark, Marker, Panel, Scale, Series};
use crate::resolvent::SilversteinLaw;
use crate::resolvent::silverstein::Placement;
use crate::spectrum::Spectrum;

/// Entries of the simulated X at most.
const ENTRIES: f64 = 4e6;
/// Non-zero eigenvalues of the simulated matrix: at most these, of a population with a dimension
/// of its own at most twice as many; with fewer than the least the histogram would say nothing.
const MOST: f64 = 800.0;
const FEWEST: f64 = 40.0;
/// Beyond this ratio of population eigenvalues the small sample eigenvalues are lost to rounding.
const CONDITION: f64 = 1e11;
/// A support that spans more than this factor is shown on a logarithmic axis.
const WIDE: f64 = 30.0;
/// Where a logarithmic axis starts, of the upper edge, when the support reaches to 0.
const START: f64 = 1e-6;
const EXPERIMENT: u32 = 9_101;

/// The density of the law of `population` at `ratio` = p/n over a histogram of the eigenvalues
/// of one simulated sample covariance, with the edges of the support and the outliers of
/// `spikes` (population eigenvalues that are added one by one to the simulated matrix): dashed
/// lines where they are predicted, points where they are found.
///
/// On a wide support the axis is logarithmic and the density is that of the eigenvalue's
/// logarithm. Where no matrix of reasonable size shows the law (a ratio beyond about 1/1000 or
/// 1000, condition numbers beyond 1e11) there is no histogram. Unproved values are left out.
///
/// # Errors
/// When the law, a spike or the simulation is refused.
pub fn sample_covariance(
    population: &Spectrum,
    ratio: f64,
    spikes: &[f64],
    seed: u64,
) -> Result<Panel, GalleryError> {
    panel(population, ratio, spikes, seed).map_err(in_figure("spectrum"))
}

fn panel(population: &Spectrum, ratio: f64, spikes: &[f64], seed: u64) -> Result<Panel, Failure> {
    let law = SilversteinLaw::new(population, ratio)?;
    let edges: Vec<(f64, f64)> = law
        .support()
        .components
        .iter()
        .map(|c| (c.lower.position.value, c.upper.position.value))
        .collect();
    let mut outliers = Vec::new();
    for &spike in spikes {
        let outlier = law.outlier(spike)?;
        if outlier.placement == Placement::Detached {
            outliers.push((spike, outlier.sample.value));
        }
    }
    let sample = Sample::draw(population, ratio, spikes, seed)?;
    let view = View::new(&edges, &outliers, sample.as_ref());

    let mut panel = Panel::new(view.axis(), Axis::linear(view.density_label()));
    panel.title = title(&law, sample.as_ref());
    if let Some(sample) = &sample {
        let name = "one simulated matrix";
        let bins = view.bins(&edges, sample);
        let heights = view.heights(&bins, sample);
        panel.series.push(Series::histogram(name, 0, bins, heights));
    }
    panel.series.push(law_line("limiting law", view.curve(&law, &edges)?));
    let marks = edges.iter().flat_map(|e| [e.0, e.1]).filter(|&e| view.shows(e));
    panel.series.push(on_axis("edges", marks.collect(), Colour::Black, Marker::Triangle));
    if let Some(sample) = sample.as_ref().filter(|_| !outliers.is_empty()) {
        let nearest = |&(_, x): &(f64, f64)| sample.nearest(x);
        let found = outliers.iter().map(nearest).collect();
        panel.series.push(on_axis("simulated outlier", found, Colour::Blue, Marker::Circle));
    }
    for (spike, x) in outliers {
        let label = format!("τ = {spike}");
        panel.annotations.push(Annotation::Vertical { x, label });
    }
    Ok(panel)
}

fn title(law: &SilversteinLaw, sample: Option<&Sample>) -> String {
    let mut title = match sample {
        Some(s) => format!("p = {}, n = {}", s.features, s.samples),
        None => format!("c = {}, no simulation", law.ratio()),
    };
    let atom = law.support().atom_at_zero.value;
    if atom > 0.0 {
        title += &format!(", atom at 0: {atom:.3}");
    }
    title
}

fn on_axis(name: &str, at: Vec<f64>, colour: Colour, marker: Marker) -> Series {
    let points = at.into_iter().map(|x| (x, 0.0)).collect();
    Series { name: name.into(), colour, mark: Mark::Points { points, marker } }
}

/// The positive eigenvalues of a simulated sample covariance, ascending.
struct Sample {
    eigenvalues: Vec<f64>,
    features: usize,
    samples: usize,
}

impl Sample {
    /// `None` where no matrix of reasonable size shows the law.
    fn draw(
        population: &Spectrum,
        ratio: f64,
        spikes: &[f64],
        seed: u64,
    ) -> Result<Option<Self>, Failure> {
        if population.max() / population.min_positive() > CONDITION {
            return Ok(None);
        }
        let Some((p, n)) = size(population, ratio) else { return Ok(None) };
        let mut variances = eigenvalues(population, p);
        let features = p + spikes.len();
        variances.extend_from_slice(spikes);
        variances.retain(|&t| t > 0.0);
        let scales: Vec<f64> = variances.iter().map(|t| t.sqrt()).collect();
        let r = scales.len();
        let mut x = vec![0.0; n * r];
        Stream::new(seed, EXPERIMENT, 0).fill_normal_f64(&mut x);
        for row in x.chunks_mut(r) {
            row.iter_mut().zip(&scales).for_each(|(z, s)| *z *= s);
        }
        let (mut covariance, rank) =
            if r <= n { (gram(&x, n, r)?, r) } else { (gram_outer(&x, n, r)?, n) };
        covariance.iter_mut().for_each(|v| *v /= n as f64);
        let eigenvalues = symmetric_eigenvalues(&covariance, rank)?;
        Ok(Some(Self { eigenvalues, features, samples: n }))
    }

    fn nearest(&self, x: f64) -> f64 {
        let closer = |a: &&f64, b: &&f64| (*a - x).abs().total_cmp(&(*b - x).abs());
        self.eigenvalues.iter().min_by(closer).copied().unwrap_or(f64::NAN)
    }
}

/// p and n: the population's own dimension where it is moderate, else what the limits allow.
fn size(population: &Spectrum, ratio: f64) -> Option<(usize, usize)> {
    let fits = |p: f64, n: f64, most: f64| {
        (FEWEST..=most).contains(&p.min(n)) && p * n <= ENTRIES && p >= 1.0 && n >= 1.0
    };
    let own = population.dimension().map(|p| (p as f64, (p as f64 / ratio).round()));
    let free = (ENTRIES * ratio).sqrt().min(MOST * ratio.max(1.0)).floor();
    let (p, n) = match own {
        Some((p, n)) if fits(p, n, 2.0 * MOST) => (p, n),
        _ => (free, (free / ratio).floor()),
    };
    fits(p, n, 2.0 * MOST).then_some((p as usize, n as usize))
}

/// p eigenvalues whose distribution is as near to the population as p allows.
fn eigenvalues(population: &Spectrum, p: usize) -> Vec<f64> {
    let mut j = 0;
    let mut below = population.weights()[0];
    let last = population.atoms().len() - 1;
    (0..p)
        .map(|i| {
            let u = (i as f64 + 0.5) / p as f64;
            while below < u && j < last {
                j += 1;
                below += population.weights()[j];
            }
            population.atoms()[j]
        })
        .collect()
}

/// The horizontal axis.
struct View {
    scale: Scale,
    low: f64,
    high: f64,
}

impl View {
    fn new(edges: &[(f64, f64)], outliers: &[(f64, f64)], sample: Option<&Sample>) -> Self {
        let top = edges[edges.len() - 1].1;
        let seen = outliers.iter().map(|o| o.1);
        let drawn =
            sample.iter().flat_map(|s| [s.eigenvalues[0], s.eigenvalues[s.eigenvalues.len() - 1]]);
        let all = || seen.clone().chain(drawn.clone());
        let bottom = if edges[0].0 > 0.0 { edges[0].0 } else { START * top };
        let low = all().filter(|&x| x > 0.0).fold(bottom, f64::min);
        let high = all().fold(top, f64::max);
        let scale = if high / low > WIDE { Scale::Log10 } else { Scale::Linear };
        let mut view = Self { scale, low, high };
        let (a, b) = (view.to(low), view.to(high));
        let margin = 0.04 * (b - a);
        let floor = if scale == Scale::Linear { 0.0 } else { f64::NEG_INFINITY };
        (view.low, view.high) = (view.from((a - margin).max(floor)), view.from(b + margin));
        view
    }

    /// The coordinate in which the axis is even.
    fn to(&self, x: f64) -> f64 {
        if self.scale == Scale::Linear { x } else { x.ln() }
    }

    fn from(&self, y: f64) -> f64 {
        if self.scale == Scale::Linear { y } else { y.exp() }
    }

    fn shows(&self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    fn axis(&self) -> Axis {
        let label = "eigenvalue x (unit of the population)";
        let axis = if self.scale == Scale::Linear { Axis::linear(label) } else { Axis::log(label) };
        axis.range(self.low, self.high)
    }

    fn density_label(&self) -> &'static str {
        match self.scale {
            Scale::Linear => "density (per unit of x)",
            Scale::Log10 => "density (per unit of ln x)",
        }
    }

    /// Even bins, six on the narrowest component, as far as their number suits the sample.
    fn bins(&self, edges: &[(f64, f64)], sample: &Sample) -> Vec<f64> {
        let (a, b) = (self.to(self.low), self.to(self.high));
        let narrowest = edges.iter().map(|e| self.width(e)).fold(f64::INFINITY, f64::min);
        let most = (sample.eigenvalues.len() as f64 / 10.0).max(20.0);
        let bins = (6.0 * (b - a) / narrowest).clamp(0.5 * most, most).round();
        (0..=bins as usize).map(|i| self.from(a + (b - a) * i as f64 / bins)).collect()
    }

    /// Of the part of a component that the axis shows.
    fn width(&self, &(lower, upper): &(f64, f64)) -> f64 {
        self.to(upper) - self.to(lower.max(self.low))
    }

    fn heights(&self, bins: &[f64], sample: &Sample) -> Vec<f64> {
        let counts = count(&sample.eigenvalues, bins);
        let p = sample.features as f64;
        let width = |w: &[f64]| self.to(w[1]) - self.to(w[0]);
        counts.iter().zip(bins.windows(2)).map(|(c, w)| c / (p * width(w))).collect()
    }

    /// The density in the axis' coordinate, over all components with gaps between them.
    fn curve(
        &self,
        law: &SilversteinLaw,
        edges: &[(f64, f64)],
    ) -> Result<Vec<(f64, f64)>, Failure> {
        const POINTS: f64 = 480.0;
        let total: f64 = edges.iter().map(|e| self.width(e)).sum();
        let mut points = Vec::new();
        for &(lower, upper) in edges {
            let (a, b) = (self.to(lower.max(self.low)), self.to(upper));
            if lower >= self.low {
                points.push((lower, 0.0));
            }
            let each = 24 + (POINTS * (b - a) / total) as usize;
            for i in 1..each {
                let angle = 0.5 * std::f64::consts::PI * i as f64 / each as f64;
                let x = self.from(a + (b - a) * angle.sin().powi(2));
                let density = law.density(x)?.certified().map_or(f64::NAN, |d| d.value);
                let jacobian = if self.scale == Scale::Linear { 1.0 } else { x };
                points.push((x, jacobian * density));
            }
            points.extend([(upper, 0.0), (f64::NAN, f64::NAN)]);
        }
        Ok(points)
    }
}
