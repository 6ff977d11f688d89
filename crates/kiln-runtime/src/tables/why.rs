//! Why a result ended: the definition that did it, and how it got there.

use super::{CacheOwner, CodeInstance, CodeTables, Edge, MethodId, World};
use kiln_ir::Instance;
use kiln_types::{Module, Symbol};
use std::sync::Arc;

/// A definition that ends results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Definition {
    /// This method was added.
    Method(MethodId),
    /// A name in a module came to mean something else.
    Binding(Module, Symbol),
    /// The exports of the second module became visible in the first.
    Using(Module, Module),
    /// The program looked at results, so that the session infers those of other sessions again.
    Withdrawal,
}

/// One end of a result.
#[derive(Clone, Debug)]
pub(super) struct Clip {
    /// The definition.
    pub(super) definition: Definition,
    /// The last world it held in.
    pub(super) last: World,
    /// The changed one of its own edges; `None` if its own method was replaced, or it ended with a callee.
    pub(super) edge: Option<Edge>,
    /// The callee it ended with.
    pub(super) through: Option<Arc<CodeInstance>>,
}

/// Why a result ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The definition.
    pub definition: Definition,
    /// The last world before it.
    pub last: World,
    /// From the instance of the query to the one that depends on the definition directly, each calling the next.
    pub chain: Vec<Instance>,
    /// The changed edge of that last one; `None` if the definition replaced its own method.
    pub edge: Option<Edge>,
    /// The first world in which it was valid again, after all its dependencies turned out unchanged.
    pub holds_again: Option<World>,
}

impl CodeTables {
    /// Why the result kept for `instance` and `owner` ended the last time it did; `None` if none has.
    pub fn why_ended(&self, instance: Instance, owner: CacheOwner) -> Option<Why> {
        let data = self.instance_data(instance);
        let code = data.code.read();
        let ended = code
            .iter()
            .rev()
            .filter(|it| it.owner == owner && it.clip.read().is_some() && !it.is_withdrawn());
        let ci = ended.max_by_key(|it| it.clip.read().as_ref().map(|it| it.last))?;
        let first = ci.clip.read().clone()?;
        let again = ci.worlds();
        let mut chain = vec![instance];
        let mut at = first.clone();
        while let Some(callee) = &at.through {
            let next = callee.clip.read().clone();
            chain.push(callee.instance);
            match next {
                // The callee may have ended again since, for a reason of its own.
                Some(next) if next.last == first.last && chain.len() <= self.instances.count() as usize => {
                    at = next
                }
                Some(_) | None => break,
            }
        }
        Some(Why {
            definition: first.definition,
            last: first.last,
            chain,
            edge: at.edge,
            holds_again: (again.min > first.last).then_some(again.min),
        })
    }
}
