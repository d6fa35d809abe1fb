//! What a simulation says beside what the theory says.

use rootrate::evidence::{Evidence, Sampled};
use rootrate::montecarlo::{Comparison, MonteCarloError, Sample, confidence_interval};
use serde_json::{Map, Value, json};

use super::run::Run;
use crate::cli::CliError;
use crate::cli::output::{Table, emit, measured, number, significant};

/// Fewest replicates that must carry the mean for its standard error to be near normal.
const FEWEST_CARRIERS: f64 = 30.0;

/// An output of an experiment, and what it should be where a theory says so.
#[derive(Debug)]
pub(super) struct Quantity {
    pub(super) name: &'static str,
    pub(super) output: usize,
    pub(super) theory: Option<Evidence>,
}

/// The statistics of one output.
#[derive(Debug)]
struct Finding {
    sampled: Sampled,
    /// Where there is a theory, and the sample can judge it.
    comparison: Option<Comparison>,
    carriers: f64,
    fields: Map<String, Value>,
}

impl Finding {
    fn new(run: &Run, quantity: &Quantity) -> Result<Self, MonteCarloError> {
        let sample = run.samples.column(quantity.output)?;
        let sampled = sample.sampled()?;
        let (low, high) = confidence_interval(&sampled, 0.95)?;
        let theory = quantity.theory;
        let carriers = carriers(&sample);
        let comparison = theory
            .filter(|_| carriers >= FEWEST_CARRIERS)
            .map(|theory| Comparison::new(theory, sampled, 0.0))
            .transpose()?;
        let quantiles = [0.05, 0.5, 0.95]
            .iter()
            .map(|&u| Ok(json!({"u": u, "value": sample.quantile(u)?})))
            .collect::<Result<Vec<_>, MonteCarloError>>()?;
        let fields = [
            ("mean", json!(sampled.mean)),
            ("standard_error", json!(sampled.standard_error)),
            ("confidence_interval_95", json!([low, high])),
            ("quantiles", json!(quantiles)),
            ("theory", json!(theory.map(|t| t.value()))),
            ("theory_error_bound", json!(theory.map(|t| t.error()))),
            ("theory_evidence", json!(theory.map(|t| t.kind()))),
            ("z", json!(comparison.map(|c| c.z))),
            ("p_value", json!(comparison.map(|c| c.p_value))),
        ];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Self { sampled, comparison, carriers, fields })
    }

    /// Why there is no z of a theory, if there is none.
    fn rare(&self) -> String {
        if self.carriers >= FEWEST_CARRIERS {
            return String::new();
        }
        format!(
            "The mean rests on about {:.0} of the replicates: rare events that a normal \
             standard error does not see. No z is given; use more replicates.\n",
            self.carriers
        )
    }

    /// Whether a standard error was asked for, and is not reached.
    fn missed(&self, run: &Run, output: usize) -> bool {
        let Sampled { mean, standard_error, .. } = self.sampled;
        run.target.as_ref().is_some_and(|target| {
            target.outputs.contains(&output) && standard_error > target.relative * mean.abs()
        })
    }
}

/// (Σx)²/Σx² for values ≥ 0: how many replicates carry the mean; of values of both signs it
/// says nothing, and is ∞.
fn carriers(sample: &Sample) -> f64 {
    let values = sample.values();
    let largest = values.iter().fold(0.0_f64, |a, &x| a.max(x));
    if values.iter().any(|&x| x < 0.0) {
        return f64::INFINITY;
    }
    if largest == 0.0 {
        return 0.0;
    }
    let sum: f64 = values.iter().map(|x| x / largest).sum();
    let squares: f64 = values.iter().map(|x| (x / largest) * (x / largest)).sum();
    sum * sum / squares
}

/// The fields that describe the run as a whole.
fn run_fields(run: &Run) -> [(&'static str, Value); 5] {
    [
        ("replicates", json!(run.samples.replicates())),
        ("backend", json!(run.backend)),
        ("adapter", json!(run.adapter)),
        ("seed", json!(run.seed)),
        ("redone", json!(run.samples.redone())),
    ]
}

fn heading(run: &Run) -> String {
    let mut text =
        format!("{} replicates on {}, seed {}", run.samples.replicates(), run.adapter, run.seed);
    if run.samples.redone() > 0 {
        text += &format!("; {} of them redone in double precision", run.samples.redone());
    }
    text
}

const MISSED: &str = "The standard error asked for is not reached: allow more --replicates.\n";

/// One quantity: its fields beside those of the run, or a table of them.
pub(super) fn single(
    run: &Run,
    quantity: &Quantity,
    note: &str,
    json: bool,
) -> Result<(), CliError> {
    let finding = Finding::new(run, quantity)?;
    let mut fields = finding.fields.clone();
    fields.extend(run_fields(run).map(|(name, value)| (name.to_owned(), value)));
    emit(json, &Value::Object(fields), || {
        let Finding { sampled, comparison, .. } = &finding;
        let mut table = Table::new([quantity.name, "value"]);
        table.row(["simulated mean".to_owned(), significant(sampled.mean, 6)]);
        table.row(["standard error".to_owned(), significant(sampled.standard_error, 2)]);
        if let Some(theory) = quantity.theory {
            table.row([format!("theory ({})", theory.kind()), number(theory.value())]);
        }
        if let Some(comparison) = comparison {
            table.row(["z".to_owned(), significant(comparison.z, 3)]);
            table.row(["p-value".to_owned(), significant(comparison.p_value, 2)]);
        }
        let missed = if finding.missed(run, quantity.output) { MISSED } else { "" };
        let text =
            format!("{}\n\n{}\n{}{missed}{note}", heading(run), table.render(), finding.rare());
        text.trim_end().to_owned() + "\n"
    })
}

/// A point of a curve: where it is, and what was simulated there, the main quantity first.
#[derive(Debug)]
pub(super) struct Point {
    /// JSON fields.
    pub(super) place: Vec<(&'static str, Value)>,
    /// The same for the table.
    pub(super) label: String,
    pub(super) quantities: Vec<Quantity>,
}

/// Several points: `points` beside the fields of the run, or a table with a row a quantity.
///
/// The main quantity's fields are those of the point, the others lie in objects of their names.
/// With one point its fields are also those of the whole.
pub(super) fn curve(
    run: &Run,
    (axis, points): (&str, &[Point]),
    note: &str,
    json: bool,
) -> Result<(), CliError> {
    let mut values = Vec::new();
    let mut table = Table::new([axis, "quantity", "simulated", "standard error", "theory", "z"]);
    let mut remarks = String::new();
    let mut missed = false;
    for point in points {
        let mut fields: Map<String, Value> =
            point.place.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        for (index, quantity) in point.quantities.iter().enumerate() {
            let finding = Finding::new(run, quantity)?;
            let Sampled { mean, standard_error, .. } = finding.sampled;
            let dash = || "–".to_owned();
            let resolution = 1e-3 * standard_error;
            table.row([
                point.label.clone(),
                quantity.name.to_owned(),
                measured(mean, standard_error),
                significant(standard_error, 2),
                quantity
                    .theory
                    .map_or_else(dash, |t| measured(t.value(), t.error().max(resolution))),
                finding.comparison.map_or_else(dash, |c| significant(c.z, 3)),
            ]);
            if remarks.is_empty() {
                remarks = finding.rare();
            }
            missed |= finding.missed(run, quantity.output);
            if index == 0 {
                fields.extend(finding.fields);
            } else {
                fields.insert(quantity.name.to_owned(), Value::Object(finding.fields));
            }
        }
        values.push(Value::Object(fields));
    }
    let mut whole = match &values[..] {
        [Value::Object(only)] => only.clone(),
        _ => Map::new(),
    };
    whole.extend(run_fields(run).map(|(name, value)| (name.to_owned(), value)));
    whole.insert("points".to_owned(), Value::Array(values));
    emit(json, &Value::Object(whole), || {
        let missed = if missed { MISSED } else { "" };
        let text = format!("{}\n\n{}\n{remarks}{missed}{note}", heading(run), table.render());
        text.trim_end().to_owned() + "\n"
    })
}
