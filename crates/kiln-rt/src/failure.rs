//! The report of a failure, as C reads it.

use kiln_launch::Failure;
use kiln_unit::{EntryDescription, SiteDescription};

/// Bytes of the text of a report, with the NUL that ends it.
pub(crate) const TEXT_BYTES: usize = 1024;

/// `struct kiln_rt_failure`: why a launch did not do all that it should.
#[repr(C)]
#[derive(Debug)]
pub struct FailureReport {
    /// The status that the call returned.
    pub status: i32,
    /// The number of the place in the kernel, from 1; 0 if no item failed.
    pub site: u32,
    /// The group of the item, from 0.
    pub group: [i64; 3],
    /// The item in its group, from 0.
    pub item: [i64; 3],
    /// A text for people, in UTF-8, that ends with a NUL.
    pub text: [u8; TEXT_BYTES],
}

impl FailureReport {
    /// A report that is not of an item.
    pub(crate) fn of_status(status: i32, text: &str) -> Self {
        let mut report = Self { status, site: 0, group: [-1; 3], item: [-1; 3], text: [0; TEXT_BYTES] };
        let mut end = text.len().min(TEXT_BYTES - 1);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        report.text[..end].copy_from_slice(&text.as_bytes()[..end]);
        report
    }

    /// The report of a call that did nothing.
    pub(crate) fn refusal(status: i32, text: &str) -> Box<Self> {
        Box::new(Self::of_status(status, text))
    }

    /// The report of an item that failed, or of a function that did.
    pub(crate) fn of_item(
        status: i32,
        failure: &Failure,
        description: Option<&EntryDescription>,
        is_kernel: bool,
    ) -> Self {
        let found = description.and_then(|it| it.sites.get((failure.site as usize).checked_sub(1)?));
        let text = text(failure, description, found, is_kernel);
        let (group, item) = match is_kernel {
            true => (failure.group_id, failure.local_id),
            false => ([-1; 3], [-1; 3]),
        };
        Self { site: failure.site, group, item, ..Self::of_status(status, &text) }
    }
}

/// The exception, then where: the item, and the functions.
fn text(
    failure: &Failure,
    description: Option<&EntryDescription>,
    site: Option<&SiteDescription>,
    is_kernel: bool,
) -> String {
    let mut text = site.map(|it| it.message(&failure.operands)).unwrap_or_default();
    if text.is_empty() {
        text = "an exception".into();
    }
    let name = description.map_or("a kernel", |it| it.name.as_str());
    text.push_str(&format!(" in {name}"));
    if is_kernel {
        let ([x, y, z], [gx, gy, gz]) = (failure.local_id, failure.group_id);
        text.push_str(&format!(", item ({x}, {y}, {z}) of group ({gx}, {gy}, {gz}), counted from 0"));
    }
    for (function, file, line) in site.map(|it| &it.frames[..]).unwrap_or_default() {
        text.push_str(&match line {
            0 => format!("\n  in {function}"),
            line => format!("\n  in {function} at {file}:{line}"),
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use kiln_unit::MessagePart;

    fn shown(report: &FailureReport) -> &str {
        let end = report.text.iter().position(|it| *it == 0).expect("a NUL ends the text");
        std::str::from_utf8(&report.text[..end]).expect("the text is UTF-8")
    }

    /// A long text ends at the border of a letter, with a NUL behind it.
    #[test]
    fn a_text_fits() {
        let report = FailureReport::of_status(2, &"é".repeat(TEXT_BYTES));
        assert_eq!(shown(&report), "é".repeat(TEXT_BYTES / 2 - 1));
    }

    /// The text names exception, item and place; without a description it names the item.
    #[test]
    fn a_text_says_who_failed_and_why() {
        let failure = Failure {
            site: 1,
            group_id: [1, 0, 0],
            local_id: [4, 2, 0],
            operands: 7i64.to_le_bytes().into(),
            frames: Vec::new(),
        };
        let index = MessagePart::Signed(kiln_unit::OperandPlace { offset: 0, size: 8 });
        let description = EntryDescription {
            name: "f!(Int64)".into(),
            sites: vec![SiteDescription {
                message: vec![MessagePart::Text("BoundsError at ".into()), index],
                frames: vec![("f!".into(), "f.jl".into(), 3)],
            }],
        };
        let report = FailureReport::of_item(1, &failure, Some(&description), true);
        assert_eq!(
            shown(&report),
            "BoundsError at 7 in f!(Int64), item (4, 2, 0) of group (1, 0, 0), counted from 0\n  in f! at f.jl:3"
        );
        let report = FailureReport::of_item(1, &failure, None, false);
        assert_eq!((shown(&report), report.group), ("an exception in a kernel", [-1; 3]));
    }
}
