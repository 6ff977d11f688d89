//! Statements: assignments, branches, loops, stores, atomics, and exchanges between items.
#![expect(clippy::wildcard_enum_match_arm, reason = "random choices have a last one")]

use crate::generate::{Barriers, Generator, Ty};
use crate::program::Node;

/// Turns of nested loops, at most.
const TURNS_MAX: usize = 30;

impl Generator {
    pub(crate) fn statement(&mut self, depth: usize, out: &mut Vec<Node>) {
        match self.rng.below(if depth == 0 { 9 } else { 19 }) {
            0 | 1 => self.declare(out),
            2..=4 => self.assign(out),
            5 => self.store(out),
            6 => self.leave(out),
            7 => self.conditional(out),
            8 | 18 => self.exchange(out),
            9..=12 => self.branch(depth, out),
            13 | 14 => self.counted_loop(depth, out),
            15 => self.while_loop(depth, out),
            16 => self.atomic(out),
            _ => self.together_branch(depth, out),
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Node> {
        let (vars, uniform) = (self.vars.len(), self.uniform.len());
        let mut body = Vec::new();
        for _ in 0..1 + self.rng.below(3) {
            self.statement(depth - 1, &mut body);
        }
        self.uses(vars, &mut body);
        // What was declared inside is not defined outside.
        self.vars.truncate(vars);
        self.uniform.truncate(uniform);
        body
    }

    /// Most variables that a block declared, those from the `first` on, reach others or memory.
    fn uses(&mut self, first: usize, body: &mut Vec<Node>) {
        let outer = self.vars[..first].to_vec();
        for (name, ty) in self.vars.split_off(first) {
            if self.rng.one_in(4) {
                continue;
            }
            let same: Vec<&(String, Ty)> = outer.iter().filter(|it| it.1 == ty).collect();
            let is_number = matches!(ty, Ty::Int(_) | Ty::UInt(_) | Ty::Float(_));
            let op = if is_number { "+=" } else { "=" };
            if !same.is_empty() {
                body.push(Node::line(format!("{} {op} {name}", self.rng.pick(&same).0)));
            } else if let Some(slot) = self.own_slot(ty, 0).filter(|_| self.is_kernel) {
                body.push(Node::line(format!("{slot} += {name}")));
            }
        }
    }

    /// A block that only some items come to.
    fn block_apart(&mut self, depth: usize) -> Vec<Node> {
        let before = std::mem::replace(&mut self.is_together, false);
        let body = self.block(depth);
        self.is_together = before;
        body
    }

    fn assign(&mut self, out: &mut Vec<Node>) {
        // The first uniform variable changes where all items come together.
        let may_change =
            self.is_kernel && self.is_together && self.uniform.first().is_some_and(|it| it == "u0");
        if may_change && self.rng.one_in(6) {
            let value = self.uniform_value();
            return out.push(Node::line(format!("u0 = {value} - Int32(1)")));
        }
        if self.vars.is_empty() {
            return self.declare(out);
        }
        let (name, ty) = self.rng.pick(&self.vars.clone()).clone();
        let text = match ty {
            Ty::Int(_) | Ty::UInt(_) | Ty::Float(_) if self.rng.one_in(2) => {
                let op = *self.rng.pick(&["+=", "-=", "*="]);
                format!("{name} {op} {}", self.expr(ty, 2))
            }
            _ => format!("{name} = {}", self.expr(ty, 2)),
        };
        out.push(Node::line(text));
    }

    fn store(&mut self, out: &mut Vec<Node>) {
        if self.has_private && self.rng.one_in(3) {
            let (at, value) = (self.expr(Ty::Int(32), 1), self.expr(Ty::Int(32), 2));
            let mark = if self.rng.one_in(2) { "@inbounds " } else { "" };
            return out.push(Node::line(format!("{mark}p[slot({at})] = {value}")));
        }
        let types = [Ty::Float(32), Ty::Float(64), Ty::Int(32), Ty::Int(64), Ty::UInt(16)];
        let ty = *self.rng.pick(&types);
        if !self.is_kernel {
            return self.assign(out);
        }
        let value = self.expr(ty, 2);
        if let Some(slot) = self.own_slot(ty, 1) {
            let op = *self.rng.pick(&["=", "=", "+="]);
            out.push(Node::line(format!("{slot} {op} {value}")));
        }
    }

    /// Leaves a loop, its turn, or the function; or throws.
    fn leave(&mut self, out: &mut Vec<Node>) {
        if self.loops.last() == Some(&true) && !self.rng.one_in(4) {
            let (condition, word) = (self.expr(Ty::Bool, 2), *self.rng.pick(&["break", "continue"]));
            return out.push(match self.rng.below(2) {
                0 => Node::line(format!("{condition} && {word}")),
                _ => Node::block(format!("if {condition}"), vec![Node::line(word)]),
            });
        }
        let thrown = self.throwing();
        if let Some(thrown) = thrown.filter(|_| self.rng.one_in(2)) {
            let rare = self.rare();
            return out.push(Node::block(format!("if {rare}"), vec![Node::line(thrown)]));
        }
        if !self.is_kernel {
            let (condition, result) = (self.expr(Ty::Bool, 2), self.result);
            let value = self.expr(result, 1);
            return out
                .push(Node::block(format!("if {condition}"), vec![Node::line(format!("return {value}"))]));
        }
        // Few items return, so that others have something to do.
        if !self.is_warp && !self.is_portable && self.rng.one_in(2) {
            let rare = self.rare();
            return out.push(Node::line(format!("{rare} && return")));
        }
        self.assign(out);
    }

    fn conditional(&mut self, out: &mut Vec<Node>) {
        if self.vars.is_empty() {
            return self.declare(out);
        }
        let (name, ty) = self.rng.pick(&self.vars.clone()).clone();
        let (condition, value) = (self.expr(Ty::Bool, 2), self.expr(ty, 1));
        let op = *self.rng.pick(&["&&", "||"]);
        out.push(Node::line(format!("{condition} {op} ({name} = {value})")));
    }

    fn branch(&mut self, depth: usize, out: &mut Vec<Node>) {
        let condition = self.expr(Ty::Bool, 2);
        let mut parts = vec![(String::new(), self.block_apart(depth))];
        if self.rng.one_in(4) {
            let condition = self.expr(Ty::Bool, 1);
            parts.push((format!("elseif {condition}"), self.block_apart(depth)));
        }
        if self.rng.one_in(2) {
            parts.push(("else".into(), self.block_apart(depth)));
        }
        out.push(Node { parts, ..Node::line(format!("if {condition}")) });
    }

    /// A value of type `Int32` that is the same in all items of a group.
    fn uniform_value(&mut self) -> String {
        let value = match self.rng.below(5) {
            0 => "s1".into(),
            1 => "cnt[b]".into(),
            2 => format!("Int32({})", self.rng.below(4)),
            3 => format!("cnt[{}]", 1 + self.rng.below(1000)),
            _ => "xi[b + 3]".into(),
        };
        if self.uniform.is_empty() || self.rng.one_in(3) {
            return value;
        }
        let known = self.rng.pick(&self.uniform.clone()).clone();
        if self.rng.one_in(2) { known } else { format!("({known} + {value})") }
    }

    fn uniform_condition(&mut self) -> String {
        let value = self.uniform_value();
        match self.rng.below(3) {
            0 => format!("isodd({value})"),
            1 => "isodd(b)".into(),
            _ => format!("{value} > {}", self.rng.below(4)),
        }
    }

    /// A branch that all items of a group take, or none.
    fn together_branch(&mut self, depth: usize, out: &mut Vec<Node>) {
        if !self.is_kernel {
            return self.branch(depth, out);
        }
        let condition = self.uniform_condition();
        let mut parts = vec![(String::new(), self.block(depth))];
        if self.rng.one_in(2) {
            parts.push(("else".into(), self.block(depth)));
        }
        out.push(Node { parts, ..Node::line(format!("if {condition}")) });
    }

    /// The body of a loop of at most five turns; `is_apart`: items may leave it one by one.
    fn turns(&mut self, depth: usize, is_apart: bool) -> Vec<Node> {
        let before = (self.turns, self.is_together);
        (self.turns, self.is_together) = (self.turns * 5, self.is_together && !is_apart);
        self.loops.push(is_apart);
        let body = self.block(depth);
        self.loops.pop();
        (self.turns, self.is_together) = before;
        body
    }

    fn counted_loop(&mut self, depth: usize, out: &mut Vec<Node>) {
        if self.turns > TURNS_MAX {
            return self.assign(out);
        }
        let counter = self.name("i");
        let is_uniform = self.is_kernel && self.rng.one_in(2);
        let header = if is_uniform {
            match self.rng.below(4) {
                0 => format!("1:clamp({}, Int32(0), Int32(5))", self.uniform_value()),
                1 => format!("1:{}", 1 + self.rng.below(4)),
                2 => "1:cnt[b]".into(),
                _ => "Int32(1):s1".into(),
            }
        } else {
            let value = self.expr(Ty::Int(32), 1);
            match self.rng.below(5) {
                0 | 1 if self.is_kernel => format!("1:cnt[{}]", self.rng.pick(&["g", "l", "n + 1 - g"])),
                2 => format!("Int(mod({value}, 5)):-1:1"),
                3 => format!("1:2:{}", 1 + self.rng.below(7)),
                _ => format!("1:mod({value}, 5)"),
            }
        };
        // Items that leave a loop one by one do not meet in it.
        let is_apart = !is_uniform || self.barriers == Barriers::None || self.rng.one_in(3);
        let ty = if header.starts_with("Int32") { Ty::Int(32) } else { Ty::Int(64) };
        self.fixed.push((counter.clone(), ty));
        if !is_apart {
            self.uniform.push(format!("({counter} % Int32)"));
        }
        let body = self.turns(depth, is_apart);
        if !is_apart {
            self.uniform.pop();
        }
        self.fixed.pop();
        out.push(Node::block(format!("for {counter} in {header}"), body));
    }

    fn while_loop(&mut self, depth: usize, out: &mut Vec<Node>) {
        if self.turns > TURNS_MAX {
            return self.assign(out);
        }
        if self.is_kernel && self.is_together && self.rng.one_in(3) {
            return self.uniform_while(depth, out);
        }
        let counter = self.name("w");
        let (head, first, start) = match self.rng.below(4) {
            0 => (
                format!("while {counter} < 20.0f0"),
                format!("{counter} = abs({counter}) * 2.5f0 + 1.0f0"),
                format!("{counter} = {}", self.expr(Ty::Float(32), 1)),
            ),
            1 => (
                format!("while 0 < {counter} < 40"),
                format!("{counter} = {counter} * Int32(3) + Int32(1)"),
                format!("{counter} = {} & Int32(31)", self.expr(Ty::Int(32), 1)),
            ),
            2 => (
                "while true".into(),
                format!("({counter} -= 1) < 0 && break"),
                format!("{counter} = mod({}, 5)", self.expr(Ty::Int(64), 1)),
            ),
            _ => {
                let condition = self.expr(Ty::Bool, 1);
                (
                    format!("while {counter} < 4 && {condition}"),
                    format!("{counter} += 1"),
                    format!("{counter} = 0"),
                )
            }
        };
        let mut body = vec![Node::fixed(first)];
        body.extend(self.turns(depth, true));
        out.push(Node::line(start));
        out.push(Node { is_fixed: false, ..Node::block(head, body) });
    }

    /// A loop that all items of a group leave together.
    fn uniform_while(&mut self, depth: usize, out: &mut Vec<Node>) {
        let counter = self.name("w");
        let start = self.uniform_value();
        out.push(Node::line(format!("{counter} = clamp({start}, Int32(0), Int32(5))")));
        let mut body = vec![Node::fixed(format!("{counter} -= Int32(1)"))];
        self.uniform.push(counter.clone());
        body.extend(self.turns(depth, false));
        self.uniform.pop();
        out.push(Node::block(format!("while {counter} > 0"), body));
    }

    fn atomic(&mut self, out: &mut Vec<Node>) {
        if !self.is_kernel {
            return self.assign(out);
        }
        // All that store here store the same.
        if self.rng.one_in(6) {
            return out.push(Node::line("cl[8] = UInt64(5)"));
        }
        // Sums, exclusive ors, minima and maxima have cells of their own, for together their order would show.
        let (kind, function) = *self.rng.pick(&[(1, "add!"), (2, "min!"), (3, "max!"), (4, "xor!")]);
        let at = if self.rng.one_in(2) { kind.to_string() } else { format!("{kind} + 4(g & 1)") };
        let (cells, ty) = *self.rng.pick(&[("ci", Ty::Int(32)), ("ci", Ty::Int(32)), ("cl", Ty::UInt(64))]);
        // The last cell is that of the variables without an output.
        let at = if kind == 4 { "4".to_owned() } else { at };
        let value = self.expr(ty, 2);
        out.push(Node::line(format!("{function}({cells}, {at}, {value})")));
    }

    /// Items give each other values, through shared memory or the lanes of a warp.
    fn exchange(&mut self, out: &mut Vec<Node>) {
        let may_meet = match self.barriers {
            Barriers::None => false,
            Barriers::Uniform => self.is_together,
            Barriers::Apart => true,
        };
        if !self.is_kernel || !may_meet {
            return self.assign(out);
        }
        if self.is_warp && self.rng.one_in(2) {
            return self.warp_exchange(out);
        }
        let (array, ty) = *self.rng.pick(&[("sf", Ty::Float(32)), ("si", Ty::Int(32))]);
        let value = self.expr(ty, 2);
        let is_uniform = self.barriers == Barriers::Uniform;
        if is_uniform && self.rng.one_in(5) {
            return self.tree(array, &value, ty, out);
        }
        let name = self.name("v");
        let from = match self.rng.below(5) {
            0 => "m + 1 - l".to_owned(),
            1 => format!("mod({}, m) + 1", self.expr(Ty::Int(64), 1)),
            2 => "1".to_owned(),
            _ => format!("mod(l + {}, m) + 1", self.rng.below(5)),
        };
        let lines = [
            format!("{array}[l] = {value}"),
            self.barrier().into(),
            format!("{name} = {array}[{from}]"),
            self.barrier().into(),
        ];
        out.push(Node::block("begin", lines.map(Node::fixed).into()));
        if from == "1" && ty == Ty::Int(32) && is_uniform {
            self.uniform.push(name);
        } else {
            self.vars.push((name, ty));
        }
    }

    /// A reduction of the group, to its first item.
    fn tree(&mut self, array: &str, value: &str, ty: Ty, out: &mut Vec<Node>) {
        let (name, stride) = (self.name("v"), self.name("r"));
        let op = *self.rng.pick(&["+", "max", "min"]);
        let inner = [
            format!("if l <= {stride} && l + {stride} <= m"),
            format!("    {array}[l] = {op}({array}[l], {array}[l + {stride}])"),
            "end".into(),
            self.barrier().into(),
            format!("{stride} ÷= 2"),
        ];
        let body = vec![
            Node::fixed(format!("{array}[l] = {value}")),
            Node::fixed(self.barrier()),
            Node::fixed(format!("{stride} = 128")),
            Node {
                is_fixed: true,
                ..Node::block(format!("while {stride} > 0"), inner.map(Node::fixed).into())
            },
            Node::fixed(format!("{name} = {array}[1]")),
            Node::fixed(self.barrier()),
        ];
        out.push(Node::block("begin", body));
        self.vars.push((name, ty));
    }

    /// An exchange between lanes: of all warps, of some, or of the halves of each.
    fn warp_exchange(&mut self, out: &mut Vec<Node>) {
        let name = self.name("v");
        let (text, ty) = self.lanes_value("FULL_MASK");
        let line = |text: &str| Node::fixed(format!("{name} = {text}"));
        match self.rng.below(4) {
            0 => {
                let other = self.leaf(ty);
                let way = self.rng.below(2);
                out.push(line(&other));
                out.push(Node {
                    is_fixed: true,
                    ..Node::block(format!("if (l - 1) ÷ 32 % 2 == {way}"), vec![line(&text)])
                });
            }
            1 => {
                let half = |mask| text.replace("FULL_MASK", mask);
                let parts = vec![
                    (String::new(), vec![line(&half("0x0000ffff"))]),
                    ("else".into(), vec![line(&half("0xffff0000"))]),
                ];
                out.push(Node { is_fixed: true, parts, ..Node::line("if (l - 1) % 32 < 16") });
            }
            _ => out.push(line(&text)),
        }
        self.vars.push((name, ty));
    }

    /// The values that lanes of a mask give.
    fn lanes_value(&mut self, mask: &str) -> (String, Ty) {
        match self.rng.below(7) {
            0 => (format!("vote_any_sync({mask}, {})", self.expr(Ty::Bool, 2)), Ty::Bool),
            1 => (format!("vote_all_sync({mask}, {})", self.expr(Ty::Bool, 2)), Ty::Bool),
            2 => (format!("vote_uni_sync({mask}, {})", self.expr(Ty::Bool, 2)), Ty::Bool),
            3 => (format!("vote_ballot_sync({mask}, {})", self.expr(Ty::Bool, 2)), Ty::UInt(32)),
            _ => {
                let all =
                    [Ty::Float(32), Ty::Int(32), Ty::Float(64), Ty::UInt(16), Ty::Pair, Ty::Rec, Ty::Quad];
                let ty = *self.rng.pick(&all);
                let (function, by) = *self.rng.pick(&[
                    ("shfl_sync", 32),
                    ("shfl_up_sync", 31),
                    ("shfl_down_sync", 31),
                    ("shfl_xor_sync", 31),
                ]);
                let by = 1 + self.rng.below(by);
                (format!("{function}({mask}, {}, {by})", self.expr(ty, 2)), ty)
            }
        }
    }
}
