//! `rootrate schedule`: where to spend training draws.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use rootrate::data::write_atomic;
use rootrate::entropy::{Clock, DataModel, EmpiricalData, LowNoise};
use rootrate::evidence::{Estimated, Evidence};
use rootrate::schedule::{Allocation, NoiseLaw, RateProfile, ScheduleError, efficiency};
use serde_json::{Map, Value, json};

use super::CliError;
use super::model::ModelArgs;
use super::output::{Table, bound, emit, measured, number};
use super::progress::{bar, spinner};

/// Probabilities whose quantiles are printed.
const QUANTILES: [f64; 11] = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999];
/// Noise levels at which the rate of a data set is sampled.
const SAMPLED_LEVELS: u32 = 65;
/// Steps of the exported quantile table.
const EXPORT_STEPS: u32 = 1000;

#[derive(Debug, Args)]
pub(crate) struct ScheduleArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Density over noise levels
    #[arg(long, value_enum, default_value_t = Law::SqrtEntropy)]
    law: Law,
    /// Clock of the square root: log-sigma, sigma, log-snr, flow, ou
    #[arg(long, value_name = "K", default_value = "log-sigma")]
    clock: Clock,
    /// Noise levels σ_min,σ_max
    #[arg(long, value_name = "A,B", allow_hyphen_values = true)]
    range: Option<Range>,
    /// Total number of training draws (law `allocation`)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    draws: Option<f64>,
    /// Features a learner (law `allocation`)
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    features: Option<f64>,
    /// Write the law to this file: .json or .csv, a table of 1,001 quantiles
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy)]
struct Range(f64, f64);

impl std::str::FromStr for Range {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let bad = || format!("`{s}` is not a range; write σ_min,σ_max such as 0.002,80");
        let (a, b) = s.split_once(',').ok_or_else(bad)?;
        let end = |t: &str| t.trim().parse::<f64>().map_err(|_| bad());
        Ok(Self(end(a)?, end(b)?))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Law {
    /// ∝ √(entropy rate) in the clock: optimal for independent learners
    SqrtEntropy,
    /// ∝ entropy rate
    Entropy,
    /// Uniform in the clock
    Uniform,
    /// Log-normal of EDM: mean −1.2, standard deviation 1.2 of ln σ
    Edm,
    /// Optimal for N draws: every learner first gets its P
    Allocation,
}

pub(crate) fn run(args: &ScheduleArgs, json: bool) -> Result<ExitCode, CliError> {
    if args.law != Law::Allocation && (args.draws.is_some() || args.features.is_some()) {
        return Err(CliError::new("--draws and --features go with --law allocation"));
    }
    if let Some(path) = &args.export {
        export_format(path)?;
    }
    if !bounded(args) {
        let needs = match args.law {
            Law::Uniform => Some("law uniform"),
            Law::Allocation => Some("law allocation"),
            _ => args.export.as_ref().map(|_| "--export (a table of quantiles)"),
        };
        if let Some(needs) = needs {
            return Err(CliError::new(format!(
                "{needs} needs both ends of the law: add --range σ_min,σ_max"
            )));
        }
    }
    let profile = profile(args)?;
    let optimum = profile.sqrt_entropy(args.clock)?;
    let range = profile.range();
    let uniform = NoiseLaw::uniform(args.clock, range)?;
    let (law, plan) = match args.law {
        Law::SqrtEntropy => (optimum.clone(), None),
        Law::Entropy => (profile.entropy()?, None),
        Law::Uniform => (uniform.clone(), None),
        Law::Edm => (NoiseLaw::edm(), None),
        Law::Allocation => {
            let plan = allocation(args, &optimum, range)?;
            (plan.law().clone(), Some(plan))
        }
    };
    let (mean, sd) = (law.mean_log_sigma(), law.sd_log_sigma());
    let mut efficiencies = vec![("sqrt-entropy", Estimated { value: 1.0, estimate: 0.0 })];
    if bounded(args) {
        // none for a law too wide for a log-normal of the same moments
        let fitted = NoiseLaw::log_normal(mean.value, sd.value).ok();
        efficiencies.push(("entropy", profile.entropy_efficiency(args.clock)?));
        let edm = NoiseLaw::edm();
        let mut rivals = vec![("uniform", &uniform), ("edm", &edm)];
        rivals.extend(fitted.as_ref().map(|law| ("log-normal-fit", law)));
        rivals.extend(plan.as_ref().map(|plan| ("allocation", plan.law())));
        for (name, rival) in rivals {
            efficiencies.push((name, efficiency(rival, &optimum)?));
        }
    }
    let mut rivals = Map::new();
    let mut rival_table = Table::new(["law", "efficiency", "±"]);
    for (name, eff) in &efficiencies {
        rivals.insert((*name).to_owned(), json!(eff.value));
        rival_table.row([
            (*name).to_owned(),
            measured(eff.value, eff.estimate),
            bound(eff.estimate),
        ]);
    }
    let fitted_efficiency = efficiencies.iter().find(|(name, _)| *name == "log-normal-fit");
    let quantiles = QUANTILES
        .iter()
        .map(|&u| Ok((u, law.quantile(u)?)))
        .collect::<Result<Vec<_>, CliError>>()?;
    let mut value = json!({
        "law": law_name(args.law),
        "model": profile.name(),
        "clock": args.clock.name(),
        "range": [range.0, range.1],
        "mean_log_sigma": mean.value,
        "mean_log_sigma_error": mean.estimate,
        "sd_log_sigma": sd.value,
        "sd_log_sigma_error": sd.estimate,
        "quantiles": quantiles.iter().map(|(u, s)| json!({"u": u, "sigma": s})).collect::<Vec<_>>(),
        "efficiency": rivals,
        "fits": {"log-normal": {
            "mean_log_sigma": mean.value,
            "sd_log_sigma": sd.value,
            "efficiency": fitted_efficiency.map(|(_, eff)| eff.value),
        }},
    });
    if let Some(plan) = &plan {
        value["allocation"] = serde_json::to_value(plan)?;
    }
    if let Some(path) = &args.export {
        export(path, &law, &value)?;
    }
    emit(json, &value, || {
        let mut table = Table::new(["u", "σ"]);
        for (u, sigma) in &quantiles {
            table.row([number(*u), number(*sigma)]);
        }
        format!(
            "{} law of {} in the clock {}, σ from {} to {}\n\
             ln σ: mean {} (±{}), standard deviation {} (±{})\n\n{}\n\
             efficiency against the √-entropy law in this clock{}\n{}",
            law_name(args.law),
            profile.name(),
            args.clock,
            number(range.0),
            number(range.1),
            measured(mean.value, mean.estimate.max(1e-6)),
            bound(mean.estimate),
            measured(sd.value, sd.estimate.max(1e-6)),
            bound(sd.estimate),
            table.render(),
            if bounded(args) {
                ""
            } else {
                "; that of other laws depends on the ends: give --range A,B"
            },
            rival_table.render(),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Whether the user gave both ends: the efficiencies of laws that do not follow the rate depend
/// on them, and so does a table of quantiles up to the last one.
fn bounded(args: &ScheduleArgs) -> bool {
    args.range.is_some_and(|Range(low, high)| low > 0.0 && high.is_finite())
}

fn law_name(law: Law) -> String {
    law.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
}

/// The rate over the range: an adaptive fit of a smooth model, a table of a sampled one.
fn profile(args: &ScheduleArgs) -> Result<RateProfile, CliError> {
    if let Some(data) = args.model.empirical_model()? {
        return sampled_profile(&data, args.range);
    }
    let model = args.model.model()?;
    let range = match (args.range, model.low_noise()) {
        (_, LowNoise::Discrete { entropy: 0.0 }) => {
            return Err(CliError::new(format!(
                "{}: a single point has no entropy, so no noise level is worth more than another; \
                 give at least two distinct points",
                model.name()
            )));
        }
        (Some(r), _) => (r.0, r.1),
        (None, LowNoise::Discrete { .. }) => (0.0, f64::INFINITY),
        (None, LowNoise::Continuous { dimension }) => {
            return Err(CliError::new(format!(
                "{} is continuous: its entropy rate per unit of ln σ tends to {dimension} as σ → 0, \
                 so a law over all noise levels would have infinite mass. Give a cut-off: \
                 --range σ_min,σ_max with σ_min > 0, the finest detail worth learning",
                model.name()
            )));
        }
    };
    let progress = spinner("entropy rate");
    let profile = match RateProfile::from_model(model.as_ref(), range, 1e-13) {
        Err(ScheduleError::Sampled { .. }) if bounded(args) => {
            let sigma = spread(range.0, range.1);
            let mmse = sigma.iter().map(|&s| model.mmse(s)).collect::<Result<Vec<_>, _>>()?;
            RateProfile::tabulated(&model.name(), &sigma, &mmse)
        }
        Err(ScheduleError::Sampled { .. }) => {
            return Err(CliError::new(format!(
                "the rate of {} is sampled, at levels spread over a range: add --range σ_min,σ_max",
                model.name()
            )));
        }
        fitted => fitted,
    };
    progress.finish_and_clear();
    Ok(profile?)
}

/// A data set's rate at levels evenly spaced in ln σ, all from the same noisy queries.
fn sampled_profile(data: &EmpiricalData, range: Option<Range>) -> Result<RateProfile, CliError> {
    let Some(Range(low, high)) = range else {
        return Err(CliError::new(
            "a data set needs a range of noise levels, because its rate is sampled at levels \
             spread over it: add --range σ_min,σ_max, for example --range 0.002,80 for values of \
             order one",
        ));
    };
    if !(low > 0.0 && low < high && high.is_finite()) {
        return Err(CliError::new(format!(
            "--range {low},{high}: a data set needs 0 < σ_min < σ_max < ∞"
        )));
    }
    let sigma = spread(low, high);
    let progress = bar(0, "noisy queries");
    let points = data.profile(
        &sigma,
        Some(&|done, total| {
            progress.set_length(total as u64);
            progress.set_position(done as u64);
        }),
    )?;
    progress.finish_and_clear();
    let mmse: Vec<Evidence> = points.iter().map(|p| p.mmse.into()).collect();
    Ok(RateProfile::tabulated(&data.name(), &sigma, &mmse)?)
}

/// Levels evenly spaced in ln σ, both ends included.
fn spread(low: f64, high: f64) -> Vec<f64> {
    let last = SAMPLED_LEVELS - 1;
    let step = (high.ln() - low.ln()) / f64::from(last);
    let at = |i: u32| if i == last { high } else { (low.ln() + step * f64::from(i)).exp() };
    std::iter::once(low).chain((1..SAMPLED_LEVELS).map(at)).collect()
}

fn allocation(
    args: &ScheduleArgs,
    optimum: &NoiseLaw,
    range: (f64, f64),
) -> Result<Allocation, CliError> {
    let (Some(draws), Some(features)) = (args.draws, args.features) else {
        return Err(CliError::new(
            "law allocation needs --draws N (all training draws) and --features P (features a learner)",
        ));
    };
    Ok(Allocation::new(optimum, args.clock, range, features, draws)?)
}

/// The two formats of `--export`, by the ending of the file name.
#[derive(Debug, PartialEq, Eq)]
enum Format {
    Json,
    Csv,
}

fn export_format(path: &Path) -> Result<Format, CliError> {
    match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("json") => Ok(Format::Json),
        Some("csv") => Ok(Format::Csv),
        _ => Err(CliError::new(format!(
            "--export {}: the file name must end in .json or .csv",
            path.display()
        ))),
    }
}

fn export(path: &Path, law: &NoiseLaw, value: &Value) -> Result<(), CliError> {
    // the ends of an unbounded law are not numbers: its table starts and ends half a step inside
    let rows = (0..=EXPORT_STEPS)
        .map(|i| {
            let u = (f64::from(i) / f64::from(EXPORT_STEPS)).clamp(5e-4, 1.0 - 5e-4);
            let (low, high) = law.support();
            match i {
                0 if low > 0.0 => Ok((0.0, low)),
                EXPORT_STEPS if high.is_finite() => Ok((1.0, high)),
                _ => Ok((u, law.quantile(u)?)),
            }
        })
        .collect::<Result<Vec<_>, CliError>>()?;
    let text = if export_format(path)? == Format::Csv {
        let lines: String = rows.iter().map(|(u, s)| format!("{u},{s}\n")).collect();
        format!("u,sigma\n{lines}")
    } else {
        let mut file = value.clone();
        file["quantiles"] = rows.iter().map(|(u, s)| json!({"u": u, "sigma": s})).collect();
        format!("{file:#}\n")
    };
    write_atomic(path, text.as_bytes())?;
    Ok(())
}
