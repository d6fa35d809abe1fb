//! All integration tests in one binary (one link); each file mirrors the module it tests.
mod schedule_golden;
mod schedule_laws;
mod schedule_models;
mod schedule_plans;

mod clock;
mod dirac;
mod entropy_analytic;
mod quadrature;
