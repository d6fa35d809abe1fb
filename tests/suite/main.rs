//! All integration tests in one binary (one link); each file mirrors the module it tests.

mod data;
mod linalg;
mod spectrum;
mod montecarlo;
mod philox;
mod statistics;
mod marchenko_pastur;
mod root;
mod clock;
mod dirac;
mod entropy_analytic;
mod quadrature;
mod interval;
mod ridge;
mod schedule_golden;
mod schedule_laws;
mod schedule_models;
mod schedule_plans;
