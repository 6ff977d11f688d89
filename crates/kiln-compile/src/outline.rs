//! Bodies as code generation is given them: reports outlined, throws of kernels outlined, boxes of devices made.

use crate::bodies::Bodies;
use crate::check::Place;
use crate::inputs::View;
use crate::typed_error::TypedError;
use crate::unit::constant_body;
use kiln_ir::IrCode;
use kiln_opt::{make_boxes, outline_reports, outline_throws};
use kiln_runtime::Runtime;
use kiln_runtime::tables::CodeInstance;

/// The body of an instance, as inference left it.
pub fn body(rt: &Runtime, typed: &CodeInstance) -> Result<IrCode, TypedError> {
    typed.code(rt).map_or_else(|| constant_body(rt, typed), |it| Ok(IrCode::clone(it)))
}

/// A body with its reports outlined, and for a device its throws, with its boxes made.
pub fn outlined(rt: &Runtime, view: &View, code: IrCode, place: Place) -> IrCode {
    let bodies = Bodies::new(rt, view, None);
    let code = outline_reports(code, &rt.types, &bodies);
    match place {
        Place::Device => make_boxes(outline_throws(code, &rt.types, &bodies), &rt.types),
        // Where it throws, the host runs the statement, as it runs others.
        Place::Host => code,
    }
}
