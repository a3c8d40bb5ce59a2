//! The way of status back: member object to Work, Works to binding, binding to template.

pub mod binding;
pub mod work;
