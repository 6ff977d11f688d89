//! Julia values in the hands of Rust.

use crate::{Error, Session};
use kiln_runtime::Rooted;
use kiln_runtime::eval::toplevel;
use kiln_runtime::heap::text;
use kiln_types::{Module, display};
use std::fmt;

/// A Julia value. It, and all that it reaches, lives at least as long as this.
///
/// ```
/// let session = kiln::Session::new(kiln::SessionOptions::new())?;
/// let joined = session.eval("join")?;
/// let words = session.eval("[\"a\", \"b\"]")?;
/// assert_eq!(joined.call(&[&words])?.as_str().as_deref(), Some("ab"));
/// # Ok::<(), kiln::Error>(())
/// ```
#[derive(Clone)]
pub struct Value {
    session: Session,
    root: Rooted,
}

impl Session {
    /// Returns the value of a Julia text, evaluated in `Main`.
    ///
    /// # Errors
    /// When it throws.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.eval("1 + 2")?.as_i64(), Some(3));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn eval(&self, text: &str) -> Result<Value, Error> {
        self.alone(|| {
            let value =
                toplevel::eval_string(&self.rt, Module::MAIN, text).map_err(|it| self.failure(&it))?;
            Ok(Value::rooted(self, value))
        })
    }
}

impl Value {
    /// Roots a value, which is live now.
    pub(crate) fn rooted(session: &Session, value: kiln_runtime::Value) -> Self {
        Self { session: session.clone(), root: session.rt.roots.hold(value) }
    }

    /// Returns the name of its type.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.eval("1.0f0")?.type_name(), "Float32");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn type_name(&self) -> String {
        display::of_type(&self.session.rt.types, self.root.value().ty())
    }

    /// Returns the `Bool`, if the value is one.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.eval("1 < 2")?.as_bool(), Some(true));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn as_bool(&self) -> Option<bool> {
        self.root.value().as_bool(self.session.rt.types.core())
    }

    /// Returns the integer, if the value is one of at most 64 bits that fits `i64`.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.eval("Int8(-3)")?.as_i64(), Some(-3));
    /// assert_eq!(session.eval("3.0")?.as_i64(), None);
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn as_i64(&self) -> Option<i64> {
        let (core, value) = (self.session.rt.types.core(), self.root.value());
        let bits = value.bits();
        match value.ty() {
            it if it == core.int8 => Some(i64::from(bits as i8)),
            it if it == core.int16 => Some(i64::from(bits as i16)),
            it if it == core.int32 => Some(i64::from(bits as i32)),
            it if it == core.int64 => Some(bits as i64),
            it if [core.uint8, core.uint16, core.uint32, core.uint64].contains(&it) => bits.try_into().ok(),
            _ => None,
        }
    }

    /// Returns the `Float64`, or a `Float32` as one, if the value is a float.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.eval("sqrt(2.25)")?.as_f64(), Some(1.5));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn as_f64(&self) -> Option<f64> {
        let (core, value) = (self.session.rt.types.core(), self.root.value());
        match value.ty() {
            it if it == core.float64 => Some(f64::from_bits(value.bits())),
            it if it == core.float32 => Some(f64::from(f32::from_bits(value.bits() as u32))),
            _ => None,
        }
    }

    /// Returns the text of a `String` that is UTF-8.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.eval("\"a\" ^ 3")?.as_str().as_deref(), Some("aaa"));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn as_str(&self) -> Option<String> {
        let bytes = text::as_bytes(&self.session.rt.heap, self.root.value())?;
        std::str::from_utf8(bytes).ok().map(str::to_owned)
    }

    /// Whether it is `nothing`.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert!(session.eval("nothing")?.is_nothing());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn is_nothing(&self) -> bool {
        self.root.value().is_nothing(self.session.rt.types.core())
    }

    /// Calls it with these arguments.
    ///
    /// # Errors
    /// When it throws; when an argument is of another session.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let (max, one, two) = (session.eval("max")?, session.eval("1")?, session.eval("2")?);
    /// assert_eq!(max.call(&[&one, &two])?.as_i64(), Some(2));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn call(&self, args: &[&Self]) -> Result<Self, Error> {
        let session = &self.session;
        if args.iter().any(|it| !std::sync::Arc::ptr_eq(&it.session.rt, &session.rt)) {
            return Err(Error::usage("error[other-session]: a value of one session is given to another"));
        }
        let args: Vec<kiln_runtime::Value> = args.iter().map(|it| it.root.value()).collect();
        session.alone(|| {
            let result = session.rt.call_latest(self.root.value(), &args);
            Ok(Self::rooted(session, result.map_err(|it| session.failure(&it))?))
        })
    }

    /// Returns the output of `repr`.
    ///
    /// # Errors
    /// When `repr` throws.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.eval("[1, 2]")?.repr()?, "[1, 2]");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn repr(&self) -> Result<String, Error> {
        let repr = self.session.eval("Base.repr")?.call(&[self])?;
        repr.as_str().ok_or_else(|| Error::program("error: `repr` does not return text"))
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value").field("type", &self.type_name()).finish_non_exhaustive()
    }
}
