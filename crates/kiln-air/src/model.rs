//! A module: what LLVM 14 calls by the same names, as plain data.

use crate::codes::{AirLinkage, AttributeKind, BinaryOp, CastOp, Comparison};
use crate::table::Table;
use crate::types::{AirTypes, Type, TypeId};

/// A value: of the module, or of the function that mentions it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// The address of a global variable, by its index in [`Module::globals`].
    Global(u32),
    /// A function, by its index in [`Module::functions`].
    Function(u32),
    /// A constant, by its number in [`Module::constants`].
    Constant(u32),
    /// A parameter, by its index.
    Argument(u32),
    /// The result of an instruction, by its index in the function, in the order of the blocks.
    Instruction(u32),
}

/// A constant. The constants that it mentions have smaller numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant {
    /// The type.
    pub ty: TypeId,
    /// The value.
    pub value: ConstantValue,
}

/// The value of a [`Constant`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConstantValue {
    /// All bits zero.
    Null,
    /// Any value.
    Undef,
    /// A value that must not matter.
    Poison,
    /// An integer, zero-extended.
    Int(u64),
    /// The bits of a float.
    Float(u64),
    /// The fields or elements of a structure, an array or a vector: values of the module.
    Aggregate(Vec<Value>),
    /// The elements of an array or a vector of integers or floats, as bits, zero-extended.
    Data(Vec<u64>),
    /// A conversion of an address: `bitcast`, `addrspacecast`, `ptrtoint` or `inttoptr` of a value of the module.
    Cast(CastOp, Value),
}

/// The carrier of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttributePlace {
    /// The function.
    Function,
    /// The result.
    Result,
    /// A parameter, by its index.
    Param(u32),
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AirAttribute {
    /// One of LLVM's, without a number.
    Flag(AttributeKind),
    /// One of LLVM's, with a number.
    Number(AttributeKind, u64),
    /// A word.
    Word(String),
    /// A word with a text.
    Text(String, String),
}

/// Attributes of a function or a call, by their carriers, each at most once.
pub type AttributeList = Vec<(AttributePlace, Vec<AirAttribute>)>;

/// A piece of metadata, by its number in one of the tables of [`AirMetadata`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MetadataRef {
    /// A text.
    Text(u32),
    /// A value or a list.
    Node(u32),
}

/// A value or a list in metadata. Nodes that it mentions have smaller numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MetadataNode {
    /// A value of the module.
    Value(Value),
    /// A list, some of whose elements may be null.
    List(Vec<Option<MetadataRef>>),
}

/// The metadata of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AirMetadata {
    pub(crate) texts: Table<String>,
    pub(crate) nodes: Table<MetadataNode>,
    /// The lists with names, in order.
    pub named: Vec<(String, Vec<MetadataRef>)>,
}

impl AirMetadata {
    /// Returns a text as metadata.
    pub fn text(&mut self, text: &str) -> MetadataRef {
        MetadataRef::Text(self.texts.intern(text.to_owned()))
    }
    /// Returns a value of the module as metadata.
    pub fn value(&mut self, value: Value) -> MetadataRef {
        MetadataRef::Node(self.nodes.intern(MetadataNode::Value(value)))
    }
    /// Returns a list.
    pub fn list(&mut self, elements: &[Option<MetadataRef>]) -> MetadataRef {
        MetadataRef::Node(self.nodes.intern(MetadataNode::List(elements.to_vec())))
    }
    /// Returns all texts, in order.
    pub fn texts(&self) -> &[String] {
        self.texts.list()
    }
    /// Returns all values and lists, in order.
    pub fn nodes(&self) -> &[MetadataNode] {
        self.nodes.list()
    }
}

/// A global variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirGlobal {
    /// The name.
    pub name: String,
    /// The type of its address: the pointee is the type of its contents.
    pub address: TypeId,
    /// Whether it never changes.
    pub is_constant: bool,
    /// Its first contents, a value of the module; it is defined elsewhere if there are none.
    pub initializer: Option<Value>,
    /// The linkage.
    pub linkage: AirLinkage,
    /// The alignment in bytes, a power of two; 0: the type's.
    pub align: u32,
}

/// An operation with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "LLVM's instructions; fields are their operands")]
pub enum AirOperation {
    Binary {
        op: BinaryOp,
        left: Value,
        right: Value,
        flags: u8,
    },
    Negate {
        value: Value,
        flags: u8,
    },
    Cast {
        op: CastOp,
        value: Value,
    },
    Allocate {
        element: TypeId,
        count: Value,
        align: u32,
    },
    Load {
        address: Value,
        align: u32,
        is_volatile: bool,
    },
    Store {
        address: Value,
        value: Value,
        align: u32,
        is_volatile: bool,
    },
    ElementAddress {
        element: TypeId,
        base: Value,
        indices: Vec<Value>,
        is_inbounds: bool,
    },
    Compare {
        comparison: Comparison,
        left: Value,
        right: Value,
        flags: u8,
    },
    Select {
        condition: Value,
        then: Value,
        otherwise: Value,
        flags: u8,
    },
    Phi {
        incoming: Vec<(Value, u32)>,
        flags: u8,
    },
    Call {
        callee: Value,
        signature: TypeId,
        arguments: Vec<Value>,
        attributes: Option<u32>,
        is_tail: bool,
        flags: u8,
    },
    ExtractElement {
        vector: Value,
        index: Value,
    },
    InsertElement {
        vector: Value,
        value: Value,
        index: Value,
    },
    Shuffle {
        left: Value,
        right: Value,
        mask: Value,
    },
    ExtractValue {
        aggregate: Value,
        path: Vec<u32>,
    },
    InsertValue {
        aggregate: Value,
        value: Value,
        path: Vec<u32>,
    },
    Freeze {
        value: Value,
    },
    Return {
        value: Option<Value>,
    },
    Branch {
        target: u32,
    },
    BranchIf {
        condition: Value,
        then: u32,
        otherwise: u32,
    },
    Switch {
        value: Value,
        default: u32,
        cases: Vec<(Value, u32)>,
    },
    Unreachable,
}

impl AirOperation {
    /// Whether a block ends with it.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Self::Return { .. }
                | Self::Branch { .. }
                | Self::BranchIf { .. }
                | Self::Switch { .. }
                | Self::Unreachable
        )
    }

    /// Returns the operands that are values, to be changed.
    pub(crate) fn values_mut(&mut self) -> Vec<&mut Value> {
        match self {
            Self::Binary { left, right, .. } | Self::Compare { left, right, .. } => vec![left, right],
            Self::Negate { value, .. } | Self::Cast { value, .. } | Self::Freeze { value } => vec![value],
            Self::Allocate { count, .. } => vec![count],
            Self::Load { address, .. } => vec![address],
            Self::Store { address, value, .. } => vec![address, value],
            Self::ElementAddress { base, indices, .. } => [base].into_iter().chain(indices).collect(),
            Self::Select { condition, then, otherwise, .. } => vec![condition, then, otherwise],
            Self::Phi { incoming, .. } => incoming.iter_mut().map(|it| &mut it.0).collect(),
            Self::Call { callee, arguments, .. } => [callee].into_iter().chain(arguments).collect(),
            Self::ExtractElement { vector, index } => vec![vector, index],
            Self::InsertElement { vector, value, index } => vec![vector, value, index],
            Self::Shuffle { left, right, mask } => vec![left, right, mask],
            Self::ExtractValue { aggregate, .. } => vec![aggregate],
            Self::InsertValue { aggregate, value, .. } => vec![aggregate, value],
            Self::Return { value } => value.iter_mut().collect(),
            Self::BranchIf { condition, .. } => vec![condition],
            Self::Switch { value, cases, .. } => {
                [value].into_iter().chain(cases.iter_mut().map(|it| &mut it.0)).collect()
            }
            Self::Branch { .. } | Self::Unreachable => Vec::new(),
        }
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirInstruction {
    /// The type of its result; `None` if it has none.
    pub ty: Option<TypeId>,
    /// The operation.
    pub op: AirOperation,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AirFunction {
    /// The name.
    pub name: String,
    /// The type of its address: the pointee is the signature, the address space is 0.
    pub address: TypeId,
    /// The linkage.
    pub linkage: AirLinkage,
    /// Its attributes, by their number in the module.
    pub attributes: Option<u32>,
    /// The basic blocks; it is defined elsewhere if there are none.
    pub blocks: Vec<Vec<AirInstruction>>,
}

/// A module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// The name of the source.
    pub source_name: String,
    /// The triple.
    pub triple: String,
    /// The data layout.
    pub layout: String,
    /// The types.
    pub types: AirTypes,
    pub(crate) attribute_lists: Table<AttributeList>,
    pub(crate) constants: Table<Constant>,
    /// The global variables.
    pub globals: Vec<AirGlobal>,
    /// The functions.
    pub functions: Vec<AirFunction>,
    /// The metadata.
    pub metadata: AirMetadata,
}

impl Module {
    /// Returns a module without contents.
    pub fn new(source_name: &str, triple: &str, layout: &str) -> Self {
        let [source_name, triple, layout] = [source_name, triple, layout].map(str::to_owned);
        Self { source_name, triple, layout, ..Self::default() }
    }
    /// Returns a constant, which is added if it is new.
    pub fn constant(&mut self, ty: TypeId, value: ConstantValue) -> Value {
        Value::Constant(self.constants.intern(Constant { ty, value }))
    }
    /// Returns an integer constant; excess bits are dropped.
    pub fn int(&mut self, bits: u32, value: u64) -> Value {
        let ty = self.types.intern(Type::Int(bits));
        self.constant(ty, ConstantValue::Int(value & mask(bits)))
    }
    /// Returns the number of a list of attributes, which is added if it is new; `None` if it is empty.
    pub fn attributes(&mut self, list: AttributeList) -> Option<u32> {
        (!list.is_empty()).then(|| self.attribute_lists.intern(list))
    }
    /// Returns the type of an address computation, which is added if it is new: the first index steps over whole elements in
    /// an address space, the others go into them. `None` if an index leads nowhere.
    pub fn element_address(&mut self, element: TypeId, space: u32, indices: &[Value]) -> Option<TypeId> {
        let known: Vec<Option<u64>> = indices.iter().map(|it| crate::check::known_int(self, *it)).collect();
        let pointee = self.types.indexed(element, &known)?;
        Some(self.types.pointer(pointee, space))
    }
    /// Returns all constants, in order.
    pub fn constants(&self) -> &[Constant] {
        self.constants.list()
    }
    /// Returns all lists of attributes, in order.
    pub fn attribute_lists(&self) -> &[AttributeList] {
        self.attribute_lists.list()
    }
    /// Returns the type of a value of the module; `None` if there is no such value.
    pub fn type_of(&self, value: Value) -> Option<TypeId> {
        match value {
            Value::Global(index) => self.globals.get(index as usize).map(|it| it.address),
            Value::Function(index) => self.functions.get(index as usize).map(|it| it.address),
            Value::Constant(number) => self.constants.get(number).map(|it| it.ty),
            Value::Argument(_) | Value::Instruction(_) => None,
        }
    }
}

/// The bits of an integer of so many bits, at most 64.
pub(crate) fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
