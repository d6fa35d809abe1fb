//! Trimmed.
mod certificate;
mod silverstein;
