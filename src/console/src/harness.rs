//! A console without a terminal: for tests and pictures.

use flybridge_ui::chord::{Chord, parse_sequence};
use flybridge_ui::{ColorLevel, glyphs, picture};
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use crate::catalog::{Catalog, CatalogError};
use crate::effect::Effect;
use crate::event::Event;
use crate::options::Setup;
use crate::render::render;
use crate::state::State;
use crate::update::update;

/// Who answers effects in a harness.
pub(crate) type Answer = fn(&Effect, Timestamp) -> Vec<Event>;

/// A console driven by keys, with frames as text, buffers or pictures.
#[derive(Debug)]
pub struct Harness {
    pub(crate) state: State,
    answer: Answer,
    /// Effects nobody answers, such as copying.
    pub(crate) effects: Vec<Effect>,
}

impl Harness {
    /// A console over sample data, on a terminal of a size, in full colour with the theme `theme`.
    ///
    /// # Errors
    /// There is no such theme.
    pub fn sample(columns: u16, rows: u16, theme: &str) -> Result<Self, CatalogError> {
        Self::with(columns, rows, theme, crate::sample::answer)
    }

    pub(crate) fn with(
        columns: u16,
        rows: u16,
        theme: &str,
        answer: Answer,
    ) -> Result<Self, CatalogError> {
        let catalog = Catalog::new(None, ColorLevel::True);
        let looks = (
            catalog.theme(theme)?,
            catalog.keymap("default")?,
            glyphs::UNICODE,
        );
        let setup = Setup {
            context_name: "demo".to_owned(),
            plane_label: "in process".to_owned(),
            ..Setup::default()
        };
        let now = crate::sample::now();
        let state = State::new(setup.about(), catalog, looks, (columns, rows), now);
        let mut harness = Self {
            state,
            answer,
            effects: Vec::new(),
        };
        harness.event(Event::Tick(now));
        harness.settle();
        Ok(harness)
    }

    /// Applies an event and everything that follows from it.
    pub(crate) fn event(&mut self, event: Event) {
        let mut effects = update(&mut self.state, event);
        while !effects.is_empty() {
            let mut next = Vec::new();
            for effect in effects {
                let answers = (self.answer)(&effect, self.state.now);
                if answers.is_empty() {
                    self.effects.push(effect);
                }
                for event in answers {
                    next.extend(update(&mut self.state, event));
                }
            }
            effects = next;
        }
    }

    /// Presses keys, written as in keymaps with spaces between; what is no key is ignored.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        for chord in parse_sequence(keys).unwrap_or_default() {
            self.event(Event::Key(chord));
            self.settle();
        }
        self
    }

    /// Types text, one key a character.
    pub fn type_text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.event(Event::Key(Chord::char(c)));
        }
        self.settle();
        self
    }

    /// Whether the console has ended.
    pub fn ended(&self) -> bool {
        self.state.exit.is_some()
    }

    fn settle(&mut self) {
        let (_, laid) = self.draw();
        self.event(Event::LaidOut(laid));
    }

    fn draw(&self) -> (Buffer, crate::panes::Laid) {
        let (columns, rows) = self.state.size;
        let mut laid = crate::panes::Laid::default();
        let Ok(mut terminal) = Terminal::new(TestBackend::new(columns, rows));
        let Ok(_) = terminal.draw(|frame| laid = render(&self.state, frame));
        (terminal.backend().buffer().clone(), laid)
    }

    /// The present frame.
    pub fn buffer(&self) -> Buffer {
        self.draw().0
    }

    /// The present frame as lines of text.
    pub fn text(&self) -> String {
        let buffer = self.buffer();
        let mut text = String::new();
        for row in buffer.content.chunks(usize::from(buffer.area.width.max(1))) {
            let mut skip = 0;
            let mut line = String::new();
            for cell in row {
                // A wide character covers the cell after it.
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                line.push_str(cell.symbol());
                skip = flybridge_ui::text::width(cell.symbol()).saturating_sub(1);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The present frame as a picture.
    pub fn svg(&self, title: &str) -> String {
        picture::svg(&self.buffer(), &self.state.theme, title)
    }
}
