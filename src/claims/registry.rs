//! The list of all claims.

use super::{
    Claim, continuous, denoising, digits, entropy, feature_denoiser, from_sample, information,
    marchenko_pastur, moment_curve, monte_carlo, random_features, ridge, schedule, schedule_laws,
    silverstein, simulation, spikes,
};

/// Every claim, in the order of the theory pages.
pub fn all() -> Vec<Claim> {
    [
        marchenko_pastur::claims(),
        silverstein::claims(),
        continuous::claims(),
        ridge::claims(),
        simulation::claims(),
        random_features::claims(),
        from_sample::claims(),
        information::claims(),
        entropy::claims(),
        schedule::claims(),
        schedule_laws::claims(),
        monte_carlo::claims(),
        moment_curve::claims(),
        denoising::claims(),
        feature_denoiser::claims(),
        digits::claims(),
        spikes::claims(),
    ]
    .concat()
}
