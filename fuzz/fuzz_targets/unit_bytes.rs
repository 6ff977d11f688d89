//! Any bytes are what crosses the border to LLVM, or what is kept of it, or refused; what is read is written and read again.
//! That is requests and replies of units and device links, artifacts of devices, units with their tables of sites, facts.
#![no_main]

use kiln_targets::TargetFacts;
use kiln_unit::{
    Body, CodegenOptions, CodegenReply, CodegenRequest, LinkedModule, DeviceLinkReply, DeviceLinkRequest,
    Emitted, EntryKind, ListingReply, ListingRequest, TargetsReply,
};
use libfuzzer_sys::fuzz_target;

/// The heads of what has one, so that the rest is reached.
const HEADS: usize = 8;

macro_rules! again {
    ($bytes:expr, $($type:ty),*) => {
        $(if let Ok(read) = <$type>::from_bytes($bytes) {
            assert_eq!(<$type>::from_bytes(&read.to_bytes()).as_ref(), Ok(&read));
        })*
    };
}

fn empty_request() -> CodegenRequest {
    CodegenRequest {
        target: Vec::new(),
        options: CodegenOptions::default(),
        entry: EntryKind::Body,
        in_kernel: true,
        functions: Vec::new(),
        runtime: Vec::new(),
        title: String::new(),
    }
}

/// A prefix of each format. Requests for device links start like their replies.
fn with_head(which: u8, rest: &[u8]) -> Vec<u8> {
    let whole = match usize::from(which) % HEADS {
        0 => CodegenReply { llvm_version: String::new(), result: Ok(None), times: Vec::new() }.to_bytes(),
        1 => DeviceLinkReply { result: Ok(LinkedModule::default()), times: Vec::new() }.to_bytes(),
        2 => ListingRequest { bitcode: Vec::new() }.to_bytes(),
        3 => ListingReply { result: Ok(String::new()) }.to_bytes(),
        4 => TargetsReply { facts: Vec::new() }.to_bytes(),
        5 => Emitted::default().to_bytes(),
        6 => empty_request().to_bytes(),
        _ => return rest.to_vec(),
    };
    let head = whole.iter().position(|it| *it == b'\n').map_or(0, |it| it + 1);
    [&whole[..head], rest].concat()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((which, rest)) = bytes.split_first() else { return };
    let bytes = &with_head(*which, rest)[..];
    again!(bytes, CodegenRequest, CodegenReply, DeviceLinkRequest, DeviceLinkReply, LinkedModule, Body);
    again!(bytes, Emitted, ListingRequest, ListingReply, TargetsReply, TargetFacts);
    if let Ok(request) = DeviceLinkRequest::from_bytes(bytes)
        && let Ok(facts) = TargetFacts::from_bytes(&request.target)
    {
        let _ = kiln_targets::check_options(&facts, &request.options);
    }
});
