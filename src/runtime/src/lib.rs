//! Shared informers, work queues, events: the controller toolkit.
