//! A plug-in detector that finds employee ids such as `EMP-123456`.

use std::ops::Range;

wit_bindgen::generate!({ world: "detector", path: "../../../wit" });

struct EmployeeIds;

impl Guest for EmployeeIds {
    fn detect(text: Text) -> Result<Vec<Detection>, ()> {
        let Text { content, name } = text;
        // In `{"employee": "123456"}` the name identifies the value.
        if name.as_deref() == Some("employee") && is_number(&content) {
            return Ok(vec![employee_id(0..content.len())]);
        }
        let starts = content.match_indices("EMP-").map(|(start, _)| start);
        let spans = starts.map(|start| start..start + 10);
        let ids = spans.filter(|span| content.get(span.start + 4..span.end).is_some_and(is_number));
        Ok(ids.map(employee_id).collect())
    }
}

fn is_number(text: &str) -> bool {
    text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Offsets are bytes of UTF-8, as Rust counts them.
fn employee_id(span: Range<usize>) -> Detection {
    Detection {
        start: span.start as u32,
        end: span.end as u32,
        entity: "EMPLOYEE_ID".to_owned(),
        score: 95,
    }
}

export!(EmployeeIds);
