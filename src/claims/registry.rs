//! The list of all claims.

use super::{Claim, digits, entropy, information, schedule};

/// Every claim, in the order of the theory pages.
pub fn all() -> Vec<Claim> {
    [information::claims(), entropy::claims(), schedule::claims(), digits::claims()].concat()
}
