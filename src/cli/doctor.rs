//! `rootrate doctor`: what this machine computes with.

use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rootrate::montecarlo::gpu::{Adapter, Examination, GpuEngine, adapters, examine};
use rootrate::montecarlo::{Backend, MonteCarloError, open};
use serde_json::{Map, Value, json};

use super::CliError;
use super::output::{Table, emit, significant};

/// How long an adapter may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn run(json: bool) -> Result<ExitCode, CliError> {
    let adapters = answer(adapters).map_err(CliError::new)?;
    let examined: Vec<(Adapter, Result<Examination, String>)> = adapters
        .into_iter()
        .map(|adapter| {
            let candidate = adapter.clone();
            let found = answer(move || {
                GpuEngine::open(candidate).and_then(|engine| examine(engine.device()))
            });
            (adapter, found.and_then(|found| found.map_err(|e| e.to_string())))
        })
        .collect();
    let auto = chosen(Backend::Auto);
    let gpu = chosen(Backend::Gpu);
    let threads = rayon::current_num_threads();
    let value = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "threads": threads,
        "simd": simd(),
        "adapters": examined.iter().map(|(a, found)| describe(a, found)).collect::<Vec<_>>(),
        "auto": choice(&auto),
        "gpu": choice(&gpu),
    });
    emit(json, &value, || {
        let mut text = format!(
            "rootrate {}\n{threads} threads, vector instructions: {}\n",
            env!("CARGO_PKG_VERSION"),
            simd()
        );
        for (adapter, found) in &examined {
            text += &format!("\n{}", table(adapter, found));
        }
        let used = |choice: Result<String, String>| choice.unwrap_or_else(|problem| problem);
        text += &format!("\n--backend auto: {}\n--backend gpu:  {}\n", used(auto), used(gpu));
        text
    })?;
    let wrong = |found: &Result<Examination, String>| found.as_ref().is_ok_and(|f| !f.words_equal);
    let faulty = examined.iter().any(|(_, found)| wrong(found));
    Ok(if faulty { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What `question` returns, unless it takes too long: a driver can hang.
fn answer<T: Send + 'static>(question: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // too late if the receiver is gone
        let _ = sender.send(question());
    });
    let late = || format!("the driver gives no answer within {} s", PATIENCE.as_secs());
    receiver.recv_timeout(PATIENCE).map_err(|_| late())
}

/// The engine of `backend`, or why there is none.
fn chosen(backend: Backend) -> Result<String, String> {
    let name = move || open(backend, None).map(|engine| engine.name());
    answer(name)?.map_err(|error: MonteCarloError| error.to_string())
}

fn choice(choice: &Result<String, String>) -> Value {
    match choice {
        Ok(engine) => json!({"engine": engine, "problem": null}),
        Err(problem) => json!({"engine": null, "problem": problem}),
    }
}

/// The widest vector instructions that the loops of this program are dispatched to.
fn simd() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            "avx512f"
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            "avx2"
        } else {
            "sse2"
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        "neon"
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        "none"
    }
}

fn describe(adapter: &Adapter, found: &Result<Examination, String>) -> Value {
    let limits: Map<String, Value> =
        adapter.limits().into_iter().map(|(name, limit)| (name.to_owned(), json!(limit))).collect();
    let found_fields = found.as_ref().ok();
    let problem = match found {
        Ok(found) => found.fault(),
        Err(problem) => Some(problem.clone()),
    };
    json!({
        "name": adapter.name(),
        "interface": adapter.interface(),
        "driver": adapter.driver(),
        "kind": adapter.kind(),
        "limits": limits,
        "words_equal": found_fields.map(|f| f.words_equal),
        "normals_equal": found_fields.map(|f| f.normals_equal),
        "normals_difference": found_fields
            .map(|f| f.normals_difference)
            .filter(|difference| difference.is_finite()),
        "iterations": found_fields.map(|f| f.iterations),
        "problem": problem,
    })
}

fn table(adapter: &Adapter, found: &Result<Examination, String>) -> String {
    let mut table = Table::new(["adapter".to_owned(), adapter.name()]);
    let kind = format!("{:?}", adapter.kind()).to_lowercase();
    table.row(["kind".to_owned(), kind]);
    table.row(["interface".to_owned(), adapter.interface()]);
    table.row(["driver".to_owned(), adapter.driver()]);
    for (name, limit) in adapter.limits() {
        table.row([name.replace('_', " "), limit.to_string()]);
    }
    match found {
        Err(problem) => table.row(["problem".to_owned(), problem.clone()]),
        Ok(found) => {
            let yes = |equal: bool| if equal { "equal" } else { "DIFFERENT" }.to_owned();
            table.row(["random words".to_owned(), yes(found.words_equal)]);
            let normals = if found.normals_equal {
                "equal".to_owned()
            } else {
                format!("within {} relative", significant(found.normals_difference, 2))
            };
            table.row(["normals".to_owned(), normals]);
            table.row(["iterations of a loop".to_owned(), found.iterations.to_string()]);
            let verdict = found.fault().unwrap_or_else(|| "usable".to_owned());
            table.row(["verdict".to_owned(), verdict]);
        }
    }
    table.render()
}
