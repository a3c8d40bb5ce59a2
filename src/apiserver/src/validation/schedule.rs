//! Cron schedules: five fields, or a word such as `@daily`.

const WORDS: [&str; 7] = [
    "@yearly",
    "@annually",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
];
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

struct Field {
    least: u32,
    most: u32,
    names: &'static [&'static str],
}

const FIELDS: [Field; 5] = [
    Field {
        least: 0,
        most: 59,
        names: &[],
    },
    Field {
        least: 0,
        most: 23,
        names: &[],
    },
    Field {
        least: 1,
        most: 31,
        names: &[],
    },
    Field {
        least: 1,
        most: 12,
        names: &MONTHS,
    },
    Field {
        least: 0,
        most: 6,
        names: &DAYS,
    },
];

/// Says what is wrong with a schedule.
pub(super) fn check(text: &str) -> Result<(), String> {
    if text.contains("TZ=") {
        return Err("cannot use TZ or CRON_TZ in schedule, use timeZone field instead".to_owned());
    }
    if text.starts_with('@') {
        // Durations such as 1h30m are left to the controller that reads them.
        let every = text
            .strip_prefix("@every ")
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        return if every || WORDS.contains(&text) {
            Ok(())
        } else {
            Err(format!("unrecognized descriptor: {text}"))
        };
    }
    let parts: Vec<&str> = text.split_whitespace().collect();
    if parts.len() != FIELDS.len() {
        return Err(format!(
            "expected exactly 5 fields, found {}: [{}]",
            parts.len(),
            parts.join(" ")
        ));
    }
    for (part, field) in parts.iter().zip(&FIELDS) {
        for range in part.split(',') {
            field.check(range)?;
        }
    }
    Ok(())
}

impl Field {
    fn check(&self, text: &str) -> Result<(), String> {
        let (range, step) = match text.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (text, None),
        };
        if step.is_some_and(|step| {
            step.parse::<u32>().is_ok_and(|step| step == 0) || step.parse::<u32>().is_err()
        }) {
            return Err(format!("step of range should be a positive number: {text}"));
        }
        if matches!(range, "*" | "?") {
            return Ok(());
        }
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (self.number(first)?, self.number(last)?),
            None => (self.number(range)?, self.number(range)?),
        };
        if first < self.least || last > self.most {
            return Err(format!(
                "range of {text} is outside {} to {}",
                self.least, self.most
            ));
        }
        if first > last {
            return Err(format!(
                "beginning of range ({first}) beyond end of range ({last}): {text}"
            ));
        }
        Ok(())
    }

    fn number(&self, text: &str) -> Result<u32, String> {
        let lower = text.to_ascii_lowercase();
        if let Some(place) = self.names.iter().position(|name| *name == lower) {
            return u32::try_from(place)
                .map(|place| place + self.least)
                .map_err(|error| error.to_string());
        }
        text.parse()
            .map_err(|error| format!("failed to parse int from {text}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn takes_what_cron_takes() {
        for good in [
            "* * * * *",
            "*/5 0-6,22 1 JAN-mar mon",
            "@daily",
            "@every 1h30m",
            "0 0 ? * 5-6",
            "5/15 * * * *",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn refuses_what_cron_refuses() {
        for bad in [
            "bad",
            "* * * *",
            "60 * * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 7",
            "@never",
            "*/0 * * * *",
            "9-3 * * * *",
            "TZ=UTC * * * * *",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
