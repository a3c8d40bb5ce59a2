//! The event loop: takes in whatever has happened, then draws at most once, and only if something
//! on the screen changed.

use std::task::Poll;
use std::time::Duration;

use crossterm::event::{Event as TerminalEvent, EventStream};
use flybridge_base::{Clock, Shutdown, Tasks};
use flybridge_ui::Chord;
use flybridge_ui::Terminal;
use futures::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};

use crate::effect::Effect;
use crate::event::Event;
use crate::live::LiveRunner;
use crate::options::{Error, ExitReason, Options, Setup};
use crate::render::render;
use crate::runner::{Runner, SampleRunner};
use crate::state::State;
use crate::update::update;

/// Least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// Time a burst of resizes is given to end.
const RESIZE: Duration = Duration::from_millis(50);
/// Events waiting at most; senders wait beyond.
const EVENTS: usize = 256;
/// Events taken in before a frame, so that a flood cannot starve the screen.
const DRAIN: usize = 512;

/// Runs a console until somebody ends it. The terminal is restored on every way out.
///
/// # Errors
/// The terminal, the theme or the keymap cannot be used.
pub async fn run(options: Options) -> Result<ExitReason, Error> {
    let Options {
        client,
        setup,
        clock,
        shutdown,
        first_frame,
    } = options;
    let tasks = Tasks::under(&shutdown);
    let (sender, events) = mpsc::channel(EVENTS);
    let runner = LiveRunner::new(client, tasks.clone(), sender, clock);
    let reason = drive(&setup, runner, events, (clock, shutdown), first_frame).await;
    tasks.stop(Duration::from_millis(500)).await;
    reason
}

/// Runs a console over sample data; no cluster is needed.
///
/// # Errors
/// The terminal, the theme or the keymap cannot be used.
pub async fn run_sample(setup: Setup, clock: Clock) -> Result<ExitReason, Error> {
    let (sender, events) = mpsc::channel(EVENTS);
    let runner = SampleRunner {
        events: sender,
        clock,
    };
    drive(&setup, runner, events, (clock, Shutdown::new()), None).await
}

async fn drive<R: Runner>(
    setup: &Setup,
    runner: R,
    events: mpsc::Receiver<Event>,
    (clock, shutdown): (Clock, Shutdown),
    first_frame: Option<Box<dyn FnOnce() + Send>>,
) -> Result<ExitReason, Error> {
    let (catalog, looks) = setup.looks(&|name| std::env::var(name).ok())?;
    let signals = Signals::new().map_err(Error::Signals)?;
    let terminal = Terminal::open()?;
    let size = terminal.size()?;
    let state = State::new(setup.about(), catalog, looks, size, clock.now());
    let mut app = App {
        terminal,
        state,
        runner,
        next_frame: Instant::now(),
    };
    app.draw()?;
    if let Some(hook) = first_frame {
        hook();
    }
    app.handle(Event::Tick(clock.now()))?;
    app.serve(events, signals, clock, &shutdown).await
}

struct Signals {
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Cancel safe.
    async fn next(&mut self) -> ExitReason {
        tokio::select! {
            biased;
            _ = self.hangup.recv() => ExitReason::Hangup,
            _ = self.terminate.recv() => ExitReason::Terminated,
            _ = self.interrupt.recv() => ExitReason::Interrupted,
        }
    }
}

struct App<R> {
    terminal: Terminal,
    state: State,
    runner: R,
    next_frame: Instant,
}

impl<R: Runner> App<R> {
    async fn serve(
        &mut self,
        mut events: mpsc::Receiver<Event>,
        mut signals: Signals,
        clock: Clock,
        shutdown: &Shutdown,
    ) -> Result<ExitReason, Error> {
        let mut input = EventStream::new();
        let mut seconds = ticker();
        loop {
            tokio::select! {
                biased;
                () = shutdown.wait() => return Ok(ExitReason::Shutdown),
                reason = signals.next() => return Ok(reason),
                event = input.next() => match event {
                    Some(Ok(event)) => self.terminal_event(event)?,
                    Some(Err(_)) | None => return Ok(ExitReason::Hangup),
                },
                Some(event) = events.recv() => self.handle(event)?,
                _ = seconds.tick() => self.handle(Event::Tick(clock.now()))?,
                () = sleep_until(self.next_frame), if self.state.dirty => {}
            }
            self.drain(&mut input, &mut events).await?;
            if let Some(reason) = self.state.exit {
                return Ok(reason);
            }
            if self.state.dirty && Instant::now() >= self.next_frame {
                self.draw()?;
            }
        }
    }

    /// Takes in everything that is already there, without waiting.
    ///
    /// The input must be polled with this task's waker: it keeps the first one it is given until
    /// it has something to say.
    async fn drain(
        &mut self,
        input: &mut EventStream,
        events: &mut mpsc::Receiver<Event>,
    ) -> Result<(), Error> {
        for _ in 0..DRAIN {
            if let Poll::Ready(Some(Ok(event))) = futures::poll!(input.next()) {
                self.terminal_event(event)?;
            } else if let Ok(event) = events.try_recv() {
                self.handle(event)?;
            } else {
                break;
            }
        }
        Ok(())
    }

    fn terminal_event(&mut self, event: TerminalEvent) -> Result<(), Error> {
        match event {
            TerminalEvent::Key(key) => match Chord::from_event(key) {
                Some(chord) => self.handle(Event::Key(chord)),
                None => Ok(()),
            },
            TerminalEvent::Paste(text) => self.handle(Event::Paste(text)),
            TerminalEvent::Resize(columns, rows) => {
                self.next_frame = Instant::now() + RESIZE;
                self.handle(Event::Resize(columns, rows))
            }
            TerminalEvent::FocusGained | TerminalEvent::FocusLost | TerminalEvent::Mouse(_) => {
                Ok(())
            }
        }
    }

    fn handle(&mut self, event: Event) -> Result<(), Error> {
        for effect in update(&mut self.state, event) {
            match effect {
                Effect::Suspend => {
                    self.terminal.suspend()?;
                    let (columns, rows) = self.terminal.size()?;
                    self.state.size = (columns, rows);
                    self.state.dirty = true;
                }
                Effect::Copy(text) => self.terminal.copy(&text)?,
                effect => self.runner.run(effect),
            }
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<(), Error> {
        let mut laid = None;
        let state = &self.state;
        self.terminal
            .draw(|frame| laid = Some(render(state, frame)))?;
        self.state.dirty = false;
        self.next_frame = Instant::now() + FRAME;
        match laid {
            Some(laid) => self.handle(Event::LaidOut(laid)),
            None => Ok(()),
        }
    }
}

fn ticker() -> Interval {
    let second = Duration::from_secs(1);
    let mut ticker = interval_at(Instant::now() + second, second);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Skip);
    ticker
}
