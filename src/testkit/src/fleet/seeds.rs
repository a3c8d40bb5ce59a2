//! Running a scenario once for each seed, each on a runtime of its own with paused time.

use std::cell::Cell;
use std::ops::RangeInclusive;
use std::sync::Once;

use flybridge_base::tasks::panic_is_contained;
use tokio::runtime::Builder;

thread_local! {
    /// Panics of tasks on this thread, which their group contained.
    static CONTAINED: Cell<usize> = const { Cell::new(0) };
}

/// The seeds to try: `SIM_SEED` alone, or the first `SIM_SEEDS`, or the first of `default`.
pub fn seeds(default: u64) -> RangeInclusive<u64> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    match number("SIM_SEED") {
        Some(seed) => seed..=seed,
        None => 1..=number("SIM_SEEDS").unwrap_or(default),
    }
}

/// Runs `scenario` for each seed; a failure tells which seed it was.
///
/// # Panics
/// When a scenario does, or when a task panicked behind its back.
pub fn for_each_seed(default: u64, scenario: impl AsyncFn(u64)) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if panic_is_contained() {
                CONTAINED.set(CONTAINED.get() + 1);
            }
            hook(info);
        }));
    });
    for seed in seeds(default) {
        let _telling = Telling(seed);
        CONTAINED.set(0);
        let mut builder = Builder::new_current_thread();
        let runtime = builder
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime");
        runtime.block_on(scenario(seed));
        drop(runtime);
        assert_eq!(CONTAINED.get(), 0, "tasks panicked");
    }
}

/// Tells the seed when a scenario ends in a panic.
struct Telling(u64);

impl Drop for Telling {
    #[expect(
        clippy::print_stderr,
        reason = "what the test harness shows of a failed test"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "the scenario failed with seed {0}; try SIM_SEED={0}",
                self.0
            );
        }
    }
}
