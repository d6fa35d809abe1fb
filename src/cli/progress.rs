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
