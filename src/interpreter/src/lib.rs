//! Resource interpreter (native rules) and overriders.
