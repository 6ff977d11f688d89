//! Julia modules: where programs are loaded, and their names looked up.

use crate::session::shared;
use crate::values::Value;
use crate::{Error, Session};
use kiln_compile::near::advice;
use kiln_ir::SourceLoc;
use kiln_types::module;
use std::fmt;

/// A Julia module of a session.
///
/// ```
/// let session = kiln::Session::new(kiln::SessionOptions::new())?;
/// let module = session.load_text("areas.jl", "area(r) = pi * r^2")?;
/// let area = module.get("area")?.call(&[&session.eval("2.0")?])?;
/// assert_eq!(area.as_f64(), Some(std::f64::consts::PI * 4.0));
/// # Ok::<(), kiln::Error>(())
/// ```
#[derive(Clone)]
pub struct Module {
    session: Session,
    module: kiln_types::Module,
}

impl Session {
    /// Runs a file in `Main`, and returns `Main`, for look-ups of the file's definitions.
    ///
    /// # Errors
    /// When the file cannot be read, or throws.
    ///
    /// ```
    /// # let file = std::env::temp_dir().join(format!("kiln-doc-load-{}.jl", std::process::id()));
    /// # let path = file.to_str().unwrap();
    /// std::fs::write(path, "twice(x) = 2x").unwrap();
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load(path)?;
    /// assert_eq!(module.get("twice")?.call(&[&session.eval("21")?])?.as_i64(), Some(42));
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn load(&self, path: &str) -> Result<Module, Error> {
        self.run_file(path)?;
        Ok(self.main_module())
    }

    /// Runs a text in `Main`, and returns `Main`; `name` is the file name in messages.
    ///
    /// # Errors
    /// When it throws.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load_text("numbers.jl", "const SEVEN = 7")?;
    /// assert_eq!(module.get("SEVEN")?.as_i64(), Some(7));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn load_text(&self, name: &str, text: &str) -> Result<Module, Error> {
        self.run_text(name, text)?;
        Ok(self.main_module())
    }

    /// Returns the module `Main`.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// assert_eq!(session.main_module().name(), "Main");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn main_module(&self) -> Module {
        Module { session: self.clone(), module: kiln_types::Module::MAIN }
    }
}

impl Module {
    /// Returns the session that it is of.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.main_module();
    /// assert_eq!(module.session().eval("2^10")?.as_i64(), Some(1024));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns its name.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load_text("shapes.jl", "module Shapes end")?;
    /// assert_eq!(module.module("Shapes")?.name(), "Shapes");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn name(&self) -> String {
        let path = module::path(&self.session.rt.types, self.module);
        path.rsplit('.').next().unwrap_or_default().to_owned()
    }

    pub(crate) fn id(&self) -> kiln_types::Module {
        self.module
    }

    /// Returns the value of a global.
    ///
    /// # Errors
    /// When the module has no global of this name, or it has no value yet.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let module = session.load_text("greeting.jl", "greeting = \"hello\"")?;
    /// assert_eq!(module.get("greeting")?.as_str().as_deref(), Some("hello"));
    /// assert_eq!(module.get("greting").unwrap_err().code, "undefined-name");
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn get(&self, name: &str) -> Result<Value, Error> {
        shared(&self.session, || Ok(Value::rooted(&self.session, self.raw(name)?)))
    }

    /// The value of a global, which nothing roots but its binding.
    pub(crate) fn raw(&self, name: &str) -> Result<kiln_runtime::Value, Error> {
        let rt = &self.session.rt;
        rt.global(self.module, rt.types.symbol(name)).ok_or_else(|| {
            let help = advice(rt, self.module, rt.types.symbol(name), SourceLoc::NONE);
            let help = help.map_or_else(String::new, |it| format!("\n  = help: {it}"));
            let module = module::path(&rt.types, self.module);
            Error::usage(format!("error[undefined-name]: `{name}` not defined in `{module}`{help}"))
        })
    }

    /// Returns the module bound to a name in this one.
    ///
    /// # Errors
    /// When there is none of this name.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let outer = session.load_text("nested.jl", "module Inner\nx = 3\nend")?;
    /// assert_eq!(outer.module("Inner")?.get("x")?.as_i64(), Some(3));
    /// assert!(outer.module("Base")?.module("nothing").is_err());
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn module(&self, name: &str) -> Result<Self, Error> {
        let value = self.raw(name)?;
        let Some(module) = value.as_module(self.session.rt.types.core()) else {
            return Err(Error::usage(format!("error[no-module]: `{name}` is no module")));
        };
        Ok(Self { session: self.session.clone(), module })
    }

    /// Runs a text in this module; `name` is the file name in messages.
    ///
    /// # Errors
    /// When it throws.
    ///
    /// ```
    /// let session = kiln::Session::new(kiln::SessionOptions::new())?;
    /// let inner = session.load_text("nested.jl", "module Inner end")?.module("Inner")?;
    /// inner.run_text("more.jl", "y = 4")?;
    /// assert_eq!(session.eval("Inner.y")?.as_i64(), Some(4));
    /// # Ok::<(), kiln::Error>(())
    /// ```
    pub fn run_text(&self, name: &str, text: &str) -> Result<(), Error> {
        self.session.run_in(self.module, name, name, text)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Module").field(&self.name()).finish()
    }
}
