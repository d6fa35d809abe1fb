//! A progress bar on standard error, shown on a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of `length` steps named `what`; silent when standard error is not a terminal.
pub(crate) fn bar(length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{msg:<28} {bar:32} {pos}/{len}  {elapsed} (left {eta})")
            .expect("the template is valid");
    bar.set_style(style);
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A spinner for work of unknown length; silent when standard error is not a terminal.
pub(crate) fn spinner(what: &str) -> ProgressBar {
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("{spinner} {msg}  {elapsed}").expect("the template is valid");
    spinner.set_style(style);
    spinner.set_message(what.to_owned());
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}

/// A bar of `total` replicates with their rate; silent when standard error is not a terminal.
pub(crate) fn replicates(total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(
        "replicates {bar:32} {human_pos}/{human_len}  {per_sec}  {elapsed} (left {eta})",
    )
    .expect("the template is valid");
    bar.set_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
