//! AIR, the bitcode that Apple's drivers compile for their GPUs: that of LLVM 14, with typed pointers.
//!
//! A [`Module`] is a module of LLVM as plain data: types, constants, global variables, functions and metadata, by number.
//! [`write`](fn@write) makes raw bitcode of it, without any LLVM, and [`read`](fn@read) is its inverse. [`BodyBuilder`] puts bodies together.
//!
//! ```
//! use kiln_air::{AirFunction, AirLinkage, BodyBuilder, Module, AirOperation, Type, read, write};
//!
//! let mut module = Module::new("nothing", "air64-apple-macosx14.0.0", "");
//! let result = module.types.intern(Type::Void);
//! let signature = module.types.intern(Type::Function { result, params: vec![], is_variadic: false });
//! let address = module.types.pointer(signature, 0);
//! let mut body = BodyBuilder::new(1);
//! body.push(0, None, AirOperation::Return { value: None });
//! let blocks = body.finish().expect("nothing is reserved");
//! let linkage = AirLinkage::External;
//! module.functions.push(AirFunction { name: "nothing".into(), address, linkage, attributes: None, blocks });
//! let bitcode = write(&module)?;
//! assert_eq!(read(&bitcode).as_ref(), Ok(&module));
//! # Ok::<(), kiln_air::ModuleError>(())
//! ```
//!
//! # Invariants
//! * What is written is well-formed: a module with a wrong type, number or reference is a [`ModuleError`] with its place.
//!   LLVM 14 ends the process for some of them, and misreads others.
//! * `read(&write(module)?)? == module`, and bytes that `read` accepts are the bytes that `write` makes of the result.
//! * Any bytes are a module or a [`BitcodeError`] with its offset, never a panic.
//! * Equal modules have equal bytes.
//!
//! # Deliberately absent
//! Opaque pointers, integers of more than 64 bits, atomic instructions, exceptions, constant addresses inside of variables,
//! aliases, lines of sources, and attributes that have types: nothing refers to them, so they cannot be said. The rules of
//! Apple's compiler beyond those of LLVM 14 are in [`rules`].

mod bits;
mod blocks;
mod builder;
mod check;
mod codes;
mod error;
mod kernel;
mod model;
mod read;
mod read_body;
mod record;
pub mod rules;
mod summary;
mod table;
mod types;
mod write;
mod write_body;

pub use bits::{BitBlock, BitItem, BitRecord, read_blocks};
pub use builder::BodyBuilder;
pub use check::check;
pub use codes::{AirLinkage, ArithmeticFlags, AttributeKind, BinaryOp, CastOp, Comparison};
pub use error::{BitcodeError, BitcodeFault, ModuleError, ModuleFault, ModulePlace};
pub use kernel::{
    BufferArgument, ItemInput, KernelArgument, KernelDescription, KernelFault, describe_kernel,
};
pub use model::{
    AirAttribute, AirFunction, AirGlobal, AirInstruction, AirMetadata, AirOperation, AttributeList,
    AttributePlace, Constant, ConstantValue, MetadataNode, MetadataRef, Module, Value,
};
pub use read::read;
pub use summary::{KernelSummary, kernel_summary};
pub use types::{AirTypes, Type, TypeId};
pub use write::write;
