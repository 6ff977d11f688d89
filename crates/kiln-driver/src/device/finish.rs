//! The last step of a kernel for a device: the form its users load.
//!
//! PTX, SPIR-V and objects are what the code generator made. Code objects are linked by `kiln_link`, in a few microseconds,
//! so that they are not kept beside the objects. What only a vendor's tool makes costs a process, and is kept under a key
//! of the object, the tool and its options.

use super::tools::{LLD, PTXAS, Tool, ToolError};
use super::{Form, Unmakable};
use crate::ask::Ask;
use crate::diagnostics;
use crate::kernel_host::Driver;
use crate::loader;
use crate::typed::{View, specialization};
use kiln_cache::{Class, ContentHash, Entry, Key, KeyBuilder};
use kiln_ir::Instance;
use kiln_link::LinkError;
use kiln_runtime::Runtime;
use kiln_targets::Backend;
use kiln_unit::Composed;
use std::time::Instant;

impl Driver {
    /// The form that was asked for of a kernel that has been composed.
    pub(super) fn finish(
        &self,
        rt: &Runtime,
        view: &View,
        (entry, composed): (Instance, &Composed),
        form: Form,
    ) -> Result<Vec<u8>, Unmakable> {
        let facts = &view.unit.facts;
        match form {
            Form::Llvm => {
                let codegen = self.asked_for(facts);
                let unasked = |it| Unmakable::Unasked(self.render(&[diagnostics::no_codegen(&it)]));
                let codegen = codegen.map_err(unasked)?;
                let text = codegen.listing(composed.optimized.clone());
                text.map(String::into_bytes).map_err(|it| Unmakable::Internal(it.to_string()))
            }
            Form::Bitcode => Ok(composed.optimized.clone()),
            Form::Assembly => Ok(composed.assembly.clone()),
            Form::Object => Ok(composed.object.clone()),
            Form::Binary => {
                let subject = || specialization(rt, entry);
                let made = match facts.backend {
                    Backend::Ptx => {
                        let mut options = vec![format!("-arch={}", facts.cpu)];
                        // An object for NVIDIA's linker, which has the library that kernels launch kernels by.
                        options.extend(
                            kiln_launch::needs_device_runtime(&composed.object).then(|| "-c".to_owned()),
                        );
                        self.made_by(&PTXAS, &options, &subject(), &composed.object)
                    }
                    Backend::Gcn => self.code_object(&subject(), &composed.object),
                    Backend::Native | Backend::Spirv | Backend::Bpf | Backend::Other => {
                        Ok(composed.object.clone())
                    }
                };
                made.map_err(Unmakable::Tool)
            }
        }
    }

    /// An object as drivers of AMD's load it.
    fn code_object(&self, subject: &str, object: &[u8]) -> Result<Vec<u8>, ToolError> {
        match kiln_link::code_object(object) {
            Ok(linked) => Ok(linked),
            Err(LinkError::Unsupported(_)) => {
                self.made_by(&LLD, &super::tools::CODE_OBJECT.map(str::to_owned), subject, object)
            }
            Err(error) => Err(ToolError::Unlinkable(error)),
        }
    }

    /// What a tool makes of an object, which it is asked for once.
    fn made_by(
        &self,
        tool: &'static Tool,
        options: &[String],
        subject: &str,
        object: &[u8],
    ) -> Result<Vec<u8>, ToolError> {
        let key = tool_key(tool, options, subject, object);
        if let Some(entry) = key.as_ref().and_then(|it| self.artifact(it)) {
            return Ok(entry.payload);
        }
        let started = Instant::now();
        let made = tool.make(options, object)?;
        let took = started.elapsed();
        self.counters().span(tool.name, || subject.to_owned(), started, took);
        if let Some(key) = key {
            self.save(key, Entry::new(made.clone(), took));
        }
        Ok(made)
    }
}

/// What the file that a tool makes is kept under; `None` if there is no tool.
fn tool_key(tool: &Tool, options: &[String], subject: &str, object: &[u8]) -> Option<Key> {
    let identity = loader::file_identity(&tool.find()?)?;
    let mut key = KeyBuilder::new(Class::Tool, subject);
    key.text("tool", tool.name).text("which one", &identity).text("options", &options.join(" "));
    key.digest("object", ContentHash::of(object), object.len() as u64);
    Some(key.finish())
}
