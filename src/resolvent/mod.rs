//! The Marchenko–Pastur law and its resolvent.
