//! What a simulation says beside what the theory says.

use rootrate::evidence::{Evidence, Sampled};
use rootrate::montecarlo::{Comparison, FEWEST_CARRIERS, MonteCarloError, confidence_interval};
use serde_json::{Map, Value, json};

use super::run::Run;
use crate::cli::CliError;
use crate::cli::output::{Table, emit, measured, number, significant};

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
        let carriers = sample.carriers();
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
            ("carriers", json!(carriers)),
            ("theory", json!(theory.map(|t| t.value()))),
            ("theory_error_bound", json!(theory.map(|t| t.error()))),
            ("theory_evidence", json!(theory.map(|t| t.kind()))),
            ("z", json!(comparison.map(|c| c.z))),
            ("p_value", json!(comparison.map(|c| c.p_value))),
        ];
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Self { sampled, comparison, carriers, fields })
    }

    /// Why the standard error of `name` is not to be trusted, if it is not.
    fn rare(&self, name: &str) -> String {
        let count = self.sampled.replicates;
        if self.carriers >= FEWEST_CARRIERS {
            String::new()
        } else if (count as f64) < FEWEST_CARRIERS {
            format!("{count} replicates are too few to judge the {name}: no z is given.\n")
        } else {
            format!(
                "The spread of the {name} rests on few replicates (about {:.0}): on rare draws, which a \
                 normal standard error does not describe. No z is given; use more replicates.\n",
                self.carriers
            )
        }
    }

    /// In single precision, where rounding may exceed the standard error (M10).
    fn rounded(&self, run: &Run) -> bool {
        self.sampled.standard_error < run.rounding * self.sampled.mean.abs()
    }

    /// Whether a standard error was asked for, and is not reached.
    fn missed(&self, run: &Run, output: usize) -> bool {
        let Sampled { mean, standard_error, .. } = self.sampled;
        run.target.as_ref().is_some_and(|target| {
            let coarse = standard_error > target.relative * mean.abs();
            target.outputs.contains(&output) && (coarse || self.carriers < FEWEST_CARRIERS)
        })
    }
}

/// The fields that describe the run as a whole.
fn run_fields(run: &Run, missed: bool) -> Vec<(&'static str, Value)> {
    let mut fields = vec![
        ("replicates", json!(run.samples.replicates())),
        ("backend", json!(run.backend)),
        ("adapter", json!(run.adapter)),
        ("seed", json!(run.seed)),
        ("redone", json!(run.samples.redone())),
    ];
    if run.rounding > 0.0 {
        fields.push(("relative_rounding", json!(run.rounding)));
    }
    if run.target.is_some() {
        fields.push(("target_reached", json!(!missed)));
    }
    fields
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

/// What is said where rounding may exceed the standard error.
fn rounding_note(run: &Run) -> String {
    format!(
        "Single precision keeps replicates with relative errors up to {:.0e}, more than the \
         standard error: use --precision double.\n",
        run.rounding
    )
}

/// One quantity: its fields beside those of the run, or a table of them.
pub(super) fn single(
    run: &Run,
    quantity: &Quantity,
    note: &str,
    json: bool,
) -> Result<(), CliError> {
    let finding = Finding::new(run, quantity)?;
    let mut fields = finding.fields.clone();
    let missed = finding.missed(run, quantity.output);
    fields.insert("quantity".to_owned(), json!(quantity.name));
    fields.insert("note".to_owned(), json!(note));
    fields.extend(run_fields(run, missed).into_iter().map(|(k, value)| (k.to_owned(), value)));
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
        let missed = if missed { MISSED } else { "" };
        let rare = finding.rare(quantity.name);
        let rounded = if finding.rounded(run) { rounding_note(run) } else { String::new() };
        let text = format!("{}\n\n{}\n{rare}{rounded}{missed}{note}", heading(run), table.render());
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
    let (mut missed, mut rounded) = (false, false);
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
                remarks = finding.rare(&format!("{} at {axis} = {}", quantity.name, point.label));
            }
            rounded |= finding.rounded(run);
            missed |= finding.missed(run, quantity.output);
            if index == 0 {
                fields.insert("quantity".to_owned(), json!(quantity.name));
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
    whole.extend(run_fields(run, missed).into_iter().map(|(k, value)| (k.to_owned(), value)));
    whole.insert("note".to_owned(), json!(note));
    whole.insert("points".to_owned(), Value::Array(values));
    emit(json, &Value::Object(whole), || {
        let missed = if missed { MISSED } else { "" };
        if rounded {
            remarks += &rounding_note(run);
        }
        let text = format!("{}\n\n{}\n{remarks}{missed}{note}", heading(run), table.render());
        text.trim_end().to_owned() + "\n"
    })
}
