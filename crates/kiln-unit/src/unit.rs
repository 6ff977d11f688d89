//! What is kept of a compiled specialization: a part that can be shared and a part that ties it to one instance.

use crate::LinkInfo;

/// Machine code with local names only. Equal code has equal bodies, whatever it was called and wherever it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// A relocatable object.
    pub object: Vec<u8>,
    /// How to link it.
    pub link: LinkInfo,
}

impl Body {
    /// The hash a body is stored under.
    pub fn content_hash(&self) -> [u8; 32] {
        let mut out = crate::bytes::Writer::new();
        out.bytes(&self.object);
        self.link.write(&mut out);
        *blake3::hash(&out.finish()).as_bytes()
    }
}

/// What the ordinals of a body mean for one code instance. Made by the front end on each hit, never stored with the
/// body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Binding<Callee> {
    /// The caller's name for each function of the request.
    pub functions: Vec<Callee>,
    /// The name a user knows.
    pub name: String,
}

/// A specialization that can be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit<Callee> {
    /// The code.
    pub body: std::sync::Arc<Body>,
    /// What its ordinals mean.
    pub binding: Binding<Callee>,
}
