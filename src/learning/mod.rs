//! Learning curves in closed or fixed-point form.
