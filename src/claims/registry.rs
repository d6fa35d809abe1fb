//! The list of all claims.

use super::{
    Claim, digits, entropy, information, marchenko_pastur, monte_carlo, posterior, ridge, schedule,
    schedule_laws, simulation, spikes,
};

/// Every claim, in the order of the theory pages.
pub fn all() -> Vec<Claim> {
    [
        marchenko_pastur::claims(),
        ridge::claims(),
        simulation::claims(),
        information::claims(),
        entropy::claims(),
        posterior::claims(),
        schedule::claims(),
        schedule_laws::claims(),
        monte_carlo::claims(),
        digits::claims(),
        spikes::claims(),
    ]
    .concat()
}
