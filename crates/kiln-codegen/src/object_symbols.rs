//! The undefined symbols of an object.

use object::{Object, ObjectSymbol};

/// Returns the names of the undefined symbols in order. Empty if the bytes are no object.
pub(crate) fn undefined(bytes: &[u8]) -> Vec<String> {
    let Ok(file) = object::File::parse(bytes) else { return Vec::new() };
    let undefined = file.symbols().filter(|it| it.is_undefined());
    undefined.filter_map(|it| it.name().ok()).filter(|it| !it.is_empty()).map(str::to_owned).collect()
}
