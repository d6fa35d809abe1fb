//! All integration tests in one binary (one link); each file mirrors the module it tests.

mod claims;
mod cli;
mod clock;
mod data;
mod dirac;
mod empirical;
mod entropy_analytic;
mod exp;
mod gallery;
mod interval;
mod linalg;
mod marchenko_pastur;
mod mixture;
mod montecarlo;
mod philox;
mod plot;
mod quadrature;
mod random_features;
mod ridge;
mod root;
mod schedule_golden;
mod schedule_laws;
mod schedule_models;
mod schedule_plans;
mod spectrum;
mod statistics;
