//! Call graphs: functions, their calls, and the groups that units are made of.

use crate::check::{Problem, Via, through};
use kiln_ir::{Instance, IrCode};
use kiln_runtime::tables::CodeInstance;
use kiln_unit::RuntimeRole;
use std::sync::Arc;

/// One function that the entry reaches.
pub struct Node {
    /// The result of inference.
    pub typed: Arc<CodeInstance>,
    /// The body as code generation is given it.
    pub code: Arc<IrCode>,
    /// Positions of what it calls, each once, in order of first use.
    pub callees: Vec<usize>,
    /// Those of them that code generation calls of its own.
    pub runtime: Vec<(RuntimeRole, usize)>,
    /// It has no compiled form: the host runs calls of it, in host code.
    pub is_interpreted: bool,
}

/// Functions and their calls; the entry is the first.
pub struct CallGraph {
    /// The functions, the entry first.
    pub nodes: Vec<Node>,
    /// The problems for a device, in all functions.
    pub problems: Vec<Problem>,
    /// Calls that throw as data decides.
    pub doubts: Vec<Problem>,
}

/// The calls through which control comes from the entry to `callee`, called by `code`.
pub(crate) fn call_path(code: &IrCode, callee: Instance, path: &[Via]) -> Vec<Via> {
    let call = code.stmts.values().find(|it| it.op.callee() == Some(callee));
    let Some(call) = call else { return path.to_vec() };
    let mut calls = vec![Via { call: call.loc, callee }];
    calls.extend(through(code, call));
    calls.extend(path);
    calls
}

/// A node of [`groups`] on the way down.
struct Visit {
    node: usize,
    next_callee: usize,
}

impl CallGraph {
    /// The results that what is made of it depends on, the entry's first. All of them, as long as they hold, are what they
    /// were.
    pub fn parts(&self) -> Arc<[Arc<CodeInstance>]> {
        self.nodes.iter().map(|it| it.typed.clone()).collect()
    }

    /// The calls through which control comes to a function, innermost first: one way of the shortest.
    pub fn path_to(&self, node: usize) -> Vec<Via> {
        let mut from = vec![None; self.nodes.len()];
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            for &callee in &self.nodes[at].callees {
                if callee != 0 && from[callee].is_none() {
                    from[callee] = Some(at);
                    queue.push_back(callee);
                }
            }
        }
        let mut chain: Vec<usize> = std::iter::successors(Some(node), |it| from[*it]).collect();
        chain.reverse();
        let calls = chain.windows(2);
        calls.fold(Vec::new(), |path, call| {
            call_path(&self.nodes[call[0]].code, self.nodes[call[1]].typed.instance, &path)
        })
    }

    /// The functions in groups: each group calls itself and groups before it only (Tarjan's strongly connected
    /// components, without recursion). The group of the entry is the last.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        let count = self.nodes.len();
        let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
        let (mut open, mut is_open) = (Vec::new(), vec![false; count]);
        let mut groups = Vec::new();
        let mut visits = vec![Visit { node: 0, next_callee: 0 }];
        let mut counter = 0;
        while let Some(visit) = visits.last_mut() {
            let node = visit.node;
            if visit.next_callee == 0 {
                (index[node], low[node]) = (counter, counter);
                counter += 1;
                open.push(node);
                is_open[node] = true;
            }
            let callee = self.nodes[node].callees.get(visit.next_callee).copied();
            visit.next_callee += 1;
            if let Some(callee) = callee {
                if index[callee] == usize::MAX {
                    visits.push(Visit { node: callee, next_callee: 0 });
                } else if is_open[callee] {
                    low[node] = low[node].min(index[callee]);
                }
                continue;
            }
            visits.pop();
            if let Some(caller) = visits.last() {
                low[caller.node] = low[caller.node].min(low[node]);
            }
            if low[node] == index[node] {
                let start = open.iter().rposition(|it| *it == node).unwrap_or(0);
                let mut group = open.split_off(start);
                group.iter().for_each(|it| is_open[*it] = false);
                group.sort_unstable();
                groups.push(group);
            }
        }
        groups
    }
}
