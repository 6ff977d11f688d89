//! Bodies as code generation is given them: throws and reports outlined, boxes of devices made.

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

/// A body with its reports and throws outlined, and what a device keeps in boxes in them.
pub fn outlined(rt: &Runtime, view: &View, code: IrCode, place: Place) -> IrCode {
    let bodies = Bodies::new(rt, view, None);
    let code = outline_reports(code, &rt.types, &bodies);
    let code = outline_throws(code, &rt.types, &bodies, place == Place::Host);
    if place == Place::Device { make_boxes(code, &rt.types) } else { code }
}
