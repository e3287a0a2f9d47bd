//! Invented values that the built-in detectors find.

use std::fmt;

/// Values that belong to one caller only, to distinguish them from other callers' values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    /// An e-mail address.
    pub email: String,
    /// A telephone number.
    pub phone: String,
    /// A private IPv4 address.
    pub address: String,
    /// A vendor's API key.
    pub key: String,
    /// A password with characters that JSON escapes.
    pub password: String,
}

impl Values {
    /// The values of caller `number`, 0 to 9999.
    #[must_use]
    pub fn of(number: usize) -> Self {
        let spread = number * 7919 + 104_729;
        Self {
            email: format!("user{number:04}.q@corp{number:04}.example.com"),
            phone: format!("+1 (415) 555-{:04}", number % 10_000),
            address: format!(
                "10.{}.{}.{}",
                1 + spread % 200,
                1 + spread / 7 % 250,
                1 + number % 250
            ),
            key: format!("sk-proj-{spread:0>8}Xk2Wq9Zt5Vb8Nm4Rc7Yp1Ls6Hd3Gf0Ja{number:04}"),
            password: format!("Tr0ub{number:04}dor\\x\"q9"),
        }
    }

    /// Every value.
    #[must_use]
    pub fn all(&self) -> [&str; 5] {
        [
            &self.email,
            &self.phone,
            &self.address,
            &self.key,
            &self.password,
        ]
    }

    /// Which of the values a text holds, as written or JSON-escaped.
    #[must_use]
    pub fn found_in<'a>(&'a self, text: &str) -> Vec<&'a str> {
        let held = |value: &&str| text.contains(*value) || text.contains(&escaped(value));
        self.all().into_iter().filter(held).collect()
    }
}

/// One line of text with every value in a place where its detector finds it.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Write to {}, call {}, host {}, key {} and password='{}' please.",
            self.email, self.phone, self.address, self.key, self.password
        )
    }
}

fn escaped(value: &str) -> String {
    let quoted = serde_json::Value::from(value).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
