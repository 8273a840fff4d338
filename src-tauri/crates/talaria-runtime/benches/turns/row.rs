//! One line of the table.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Write};

/// Where rows go.
pub struct Rows(Box<dyn Write>);

/// What a figure is held against.
#[derive(Clone, Copy)]
pub enum Bar {
    /// `ours / baseline`.
    Ratio(f64),
    /// Our figure itself.
    AtMost(f64),
    AtLeast(f64),
    /// Told, not judged.
    Told,
}

pub struct Row<'a> {
    pub what: &'a str,
    pub unit: &'a str,
    pub ours: f64,
    pub baseline: Option<f64>,
    pub bar: Bar,
    /// Figures of others that the bar was set by.
    pub reference: &'a str,
    /// How it was measured, minima and the like.
    pub detail: Value,
}

impl Rows {
    pub fn open() -> Self {
        Self(match std::env::var_os("BENCH_ROWS") {
            Some(path) => Box::new(File::options().create(true).append(true).open(path).unwrap()),
            None => Box::new(io::stdout()),
        })
    }

    pub fn add(&mut self, row: Row<'_>) {
        let ratio = row.baseline.map(|baseline| row.ours / baseline);
        let (bar, holds) = match row.bar {
            Bar::Ratio(limit) => (format!("<= {limit} x"), ratio.map(|ratio| ratio <= limit)),
            Bar::AtMost(limit) => (format!("<= {limit}"), Some(row.ours <= limit)),
            Bar::AtLeast(limit) => (format!(">= {limit}"), Some(row.ours >= limit)),
            Bar::Told => (String::new(), None),
        };
        let verdict = match holds {
            Some(true) => "holds",
            Some(false) => "misses",
            None => "",
        };
        let line = json!({
            "what": row.what, "unit": row.unit, "ours": row.ours, "baseline": row.baseline, "ratio": ratio,
            "bar": bar, "verdict": verdict, "reference": row.reference, "detail": row.detail, "load": crate::load(),
        });
        writeln!(self.0, "{line}").unwrap();
        self.0.flush().unwrap();
    }
}

/// The middle of some figures and the least of them.
#[derive(Clone, Copy)]
pub struct Spread {
    pub median: f64,
    pub min: f64,
}

impl Spread {
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        Self {
            median: figures[figures.len() / 2],
            min: figures[0],
        }
    }
}
