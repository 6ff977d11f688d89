//! Any bytes are what crosses the border to LLVM, or what is kept of it, or refused; what is read is written and read again.
//! That is requests and replies of units and compositions, artifacts of devices, units with their tables of sites, facts.
#![no_main]

use kiln_targets::TargetFacts;
use kiln_unit::{
    Body, CodegenReply, CodegenRequest, Composed, CompositionReply, CompositionRequest, Emitted, ListingReply,
    ListingRequest, TargetsReply,
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

/// What begins as one of the formats does.
fn with_head(which: u8, rest: &[u8]) -> Vec<u8> {
    let whole = match usize::from(which) % HEADS {
        0 => CodegenReply { llvm_version: String::new(), result: Ok(None), times: Vec::new() }.to_bytes(),
        1 => CompositionReply { result: Ok(Composed::default()), times: Vec::new() }.to_bytes(),
        2 => ListingRequest { bitcode: Vec::new() }.to_bytes(),
        3 => ListingReply { result: Ok(String::new()) }.to_bytes(),
        4 => TargetsReply { facts: Vec::new() }.to_bytes(),
        5 => return [b"\x13\0\0\0kiln-composition-5\n", rest].concat(),
        6 => return [b"\x0f\0\0\0kiln-request-6\n", rest].concat(),
        _ => return rest.to_vec(),
    };
    let head = whole.iter().position(|it| *it == b'\n').map_or(0, |it| it + 1);
    [&whole[..head], rest].concat()
}

fuzz_target!(|bytes: &[u8]| {
    let Some((which, rest)) = bytes.split_first() else { return };
    let bytes = &with_head(*which, rest)[..];
    again!(bytes, CodegenRequest, CodegenReply, CompositionRequest, CompositionReply, Composed, Body);
    again!(bytes, Emitted, ListingRequest, ListingReply, TargetsReply, TargetFacts);
    if let Ok(request) = CompositionRequest::from_bytes(bytes)
        && let Ok(facts) = TargetFacts::from_bytes(&request.target)
    {
        let _ = kiln_targets::check_options(&facts, &request.options);
    }
});
