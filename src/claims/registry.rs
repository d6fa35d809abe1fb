//! The list of all claims.

use super::{Claim, marchenko_pastur, monte_carlo, ridge, simulation};

/// Every claim, in the order of the theory pages.
pub fn all() -> Vec<Claim> {
    [marchenko_pastur::claims(), ridge::claims(), simulation::claims(), monte_carlo::claims()]
        .concat()
}
