//! `kiln compile --sites`: the launch description of an artifact for its users, as JSON. `docs/artifacts.md` explains
//! each field.

use crate::json::Json;
use kiln::compile::{Compiled, DescribedFrame, DescribedReference, DescribedSite, Description, Parameter};

/// Reports all that was compiled to code.
pub(crate) fn report<'a>(made: impl Iterator<Item = &'a Compiled>) -> Json {
    let kernels = made.filter_map(|it| Some(kernel(it, it.description.as_ref()?)));
    Json::Object(vec![("kernels", Json::List(kernels.collect()))])
}

fn kernel(made: &Compiled, description: &Description) -> Json {
    let Description { entry, params, shared_bytes, reports, sites, references, .. } = description;
    let mut fields = vec![
        ("function", made.function.as_str().into()),
        ("symbol", made.symbol.as_str().into()),
        ("target", made.target.as_str().into()),
        ("parameters", Json::List(params.iter().map(parameter).collect())),
        ("argument_bytes", u64::from(entry.bytes).into()),
        ("shared_bytes", u64::from(*shared_bytes).into()),
        ("reports", (*reports).into()),
        ("sites", self::sites(sites)),
    ];
    if !references.is_empty() {
        fields.push(("references", Json::List(references.iter().map(reference).collect())));
    }
    Json::Object(fields)
}

fn reference(it: &DescribedReference) -> Json {
    let number = format!("{:#018x}", it.number);
    Json::Object(vec![
        ("kind", it.kind.into()),
        ("name", it.name.as_str().into()),
        ("number", number.as_str().into()),
    ])
}

/// Describes the sites by their numbers.
pub(crate) fn sites(all: &[DescribedSite]) -> Json {
    Json::List(all.iter().zip(1..).map(|(it, number)| site(it, number)).collect())
}

fn parameter(it: &Parameter) -> Json {
    let mut fields = vec![("kind", it.kind.into())];
    if it.place.size > 0 {
        fields.push(("type", it.ty.as_str().into()));
        fields.push(("offset", u64::from(it.place.offset).into()));
        fields.push(("bytes", u64::from(it.place.size).into()));
    }
    Json::Object(fields)
}

fn site(it: &DescribedSite, number: u64) -> Json {
    let operands = it.operands.iter().map(|(ty, place)| {
        Json::Object(vec![
            ("type", ty.as_str().into()),
            ("offset", u64::from(place.offset).into()),
            ("bytes", u64::from(place.size).into()),
        ])
    });
    Json::Object(vec![
        ("site", number.into()),
        ("kind", it.kind.into()),
        ("exception", it.what.as_str().into()),
        ("operands", Json::List(operands.collect())),
        ("frames", Json::List(it.frames.iter().map(frame).collect())),
    ])
}

fn frame(it: &DescribedFrame) -> Json {
    let mut fields = vec![("function", it.function.as_str().into())];
    if let Some((file, line)) = &it.place {
        fields.push(("file", file.as_str().into()));
        fields.push(("line", u64::from(*line).into()));
    }
    Json::Object(fields)
}
