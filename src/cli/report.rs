//! The report: one self-contained HTML file with claims, figures, versions and seed.

use std::fmt::Write;

use rootrate::claims::{FAMILY_FALSE_ALARM, Verdict};
use rootrate::plot::gallery::Settings;

use super::figures::Drawn;
use super::output::{bound, significant};

const STYLE: &str = "body{font:16px/1.5 'DejaVu Sans',Verdana,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}\
h1{margin-bottom:.2rem}figure{margin:2rem 0}figure svg{width:100%;height:auto}figcaption{color:#444}\
table{border-collapse:collapse;width:100%;font-size:.82rem}th,td{padding:.35rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}\
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.fail{color:#b00020;font-weight:bold}.pass{color:#00634a}\
.scroll{overflow-x:auto}details{margin-top:.2rem;color:#555}code{font-size:.9em}";

/// The whole file.
pub(crate) fn html(
    verdicts: &[Verdict],
    figures: &[Drawn],
    settings: &Settings,
    engine: &str,
) -> String {
    let passed = verdicts.iter().filter(|v| v.passed).count();
    let mut page = String::new();
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>rootrate: report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>rootrate: from data to schedule</h1>\n\
         <p>rootrate {version}, seed {seed}, {mode} run, simulations on {engine}: <strong>{passed} of {total} claims pass</strong>. \
         Every statistical comparison uses one threshold for which the probability of any false \
         alarm in the whole table is at most {FAMILY_FALSE_ALARM}.</p>\n",
        version = env!("CARGO_PKG_VERSION"),
        seed = settings.seed,
        mode = if settings.quick { "quick" } else { "full" },
        total = verdicts.len(),
    );
    for figure in figures {
        let _ = write!(
            page,
            "<figure id=\"{}\">\n{}\n<figcaption>{}</figcaption>\n</figure>\n",
            figure.name,
            inline(&figure.svg),
            escape(figure.caption),
        );
    }
    page += "<h2>Claims</h2>\n<div class=\"scroll\"><table>\n<tr><th>claim</th><th>verdict</th>\
             <th>value</th><th>expected</th><th>tolerance</th><th>theory</th></tr>\n";
    for v in verdicts {
        let cell = |x: Option<f64>| x.map_or_else(|| "–".to_owned(), |x| significant(x, 9));
        let (class, word) = if v.passed { ("pass", "pass") } else { ("fail", "FAIL") };
        let _ = writeln!(
            page,
            "<tr><td><code>{}</code><br>{}<details><summary>how</summary>{}</details></td>\
             <td class=\"{class}\">{word}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td>{}</td></tr>",
            escape(v.id),
            escape(v.statement),
            escape(&v.how),
            cell(v.value),
            cell(v.expected),
            v.tolerance.map_or_else(|| "–".to_owned(), bound),
            escape(v.theory),
        );
    }
    page += "</table></div>\n</body>\n</html>\n";
    page
}

/// The SVG element without the XML prologue, which HTML does not allow inside a body.
fn inline(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |start| &svg[start..])
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
