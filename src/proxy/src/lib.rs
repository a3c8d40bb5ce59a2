//! The aggregated cluster proxy.
