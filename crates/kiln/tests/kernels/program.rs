//! A generated program as a tree of statements, and its text.

use std::fmt::Write as _;

/// A statement: lines without a body, or a block.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The line; of a block, the one that opens it.
    pub head: String,
    /// The parts of a block, each after its line: `if`, `else`. Empty: no block.
    pub parts: Vec<(String, Vec<Node>)>,
    /// Whether the program has no meaning without it: a return value, the counter of a loop.
    pub is_fixed: bool,
}

impl Node {
    pub(crate) fn line(text: impl Into<String>) -> Self {
        Self { head: text.into(), parts: Vec::new(), is_fixed: false }
    }

    pub(crate) fn fixed(text: impl Into<String>) -> Self {
        Self { is_fixed: true, ..Self::line(text) }
    }

    pub(crate) fn block(head: impl Into<String>, body: Vec<Node>) -> Self {
        Self { parts: vec![(String::new(), body)], ..Self::line(head) }
    }

    fn write(&self, indent: usize, text: &mut String) {
        let _ = writeln!(text, "{:indent$}{}", "", self.head);
        for (line, body) in &self.parts {
            if !line.is_empty() {
                let _ = writeln!(text, "{:indent$}{line}", "");
            }
            body.iter().for_each(|it| it.write(indent + 4, text));
        }
        if !self.parts.is_empty() {
            let _ = writeln!(text, "{:indent$}end", "");
        }
    }
}

/// A kernel with its callees, and a launch of it.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub seed: u64,
    /// Functions, the kernel last.
    pub functions: Vec<Node>,
    pub groups: [usize; 3],
    pub items: [usize; 3],
    /// The range of a kernel that is written for KernelAbstractions.
    pub range: Option<[usize; 3]>,
    /// The last arguments of the kernel.
    pub scalars: String,
    /// The exceptions that its items may throw.
    pub throws: Vec<&'static str>,
    /// Whether items wait for each other.
    pub meets: bool,
}

impl Program {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.functions.iter().for_each(|it| it.write(0, &mut text));
        text
    }

    /// The number of items of the launch.
    pub(crate) fn size(&self) -> usize {
        match self.range {
            Some(range) => range.iter().product(),
            None => self.groups.iter().chain(&self.items).product(),
        }
    }

    /// The first arguments of a launch: the kernel, groups, items, range.
    pub(crate) fn launch(&self) -> String {
        let [groups, items] = [self.groups, self.items].map(triple);
        let range = self.range.map_or_else(|| "nothing".into(), triple);
        format!("k!, {groups}, {items}, {range}")
    }

    /// A file that the command runs: it prints the outputs.
    pub(crate) fn file(&self, prelude: &str) -> String {
        format!(
            "# Seed {}\n{prelude}\n{}\nfor level in (0, nothing)\n    outcome = compiled_launch({}, level, {})\n    \
             println(level, \" \", outcome[1])\n    foreach(x -> println(\"  \", hash(Array(x)), \" \", Array(x)[1:min(end, {})]), DEVICE_OUT)\nend\n",
            self.seed,
            self.text(),
            self.launch(),
            self.scalars,
            self.size(),
        )
    }
}

fn triple(it: [usize; 3]) -> String {
    format!("({}, {}, {})", it[0], it[1], it[2])
}

/// The shortest program found by leaving statements out that `fails` still.
pub(crate) fn minimized(program: &Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let before = best.text().len();
        let mut place = 0;
        while let Some(smaller) = without(&best, place) {
            if fails(&smaller) {
                best = smaller;
            } else {
                place += 1;
            }
        }
        if best.text().len() == before {
            return best;
        }
    }
}

/// The program with the change of this number: each statement is left out, or replaced by one of its parts.
fn without(program: &Program, place: usize) -> Option<Program> {
    let mut smaller = program.clone();
    let mut left = place;
    edit(&mut smaller.functions, &mut left, true).then_some(smaller)
}

/// Whether a function is the kernel, or another one names it: sessions that ran other programs have functions of these names, too.
fn is_called(functions: &[Node], at: usize) -> bool {
    let name = functions[at].head.split_once("function ").and_then(|it| it.1.split_once('('));
    let Some((name, _)) = name else { return true };
    let names = |it: &Node| {
        let mut text = String::new();
        it.write(0, &mut text);
        text.contains(&format!("{name}("))
    };
    at + 1 == functions.len() || functions[at + 1..].iter().any(names)
}

fn edit(nodes: &mut Vec<Node>, left: &mut usize, are_functions: bool) -> bool {
    for at in 0..nodes.len() {
        let stays = nodes[at].is_fixed || (are_functions && is_called(nodes, at));
        if !stays {
            if *left == 0 {
                nodes.remove(at);
                return true;
            }
            *left -= 1;
        }
        if !are_functions && !nodes[at].is_fixed {
            for part in 0..nodes[at].parts.len() {
                if *left == 0 {
                    let body = std::mem::take(&mut nodes[at].parts[part].1);
                    nodes.splice(at..=at, body);
                    return true;
                }
                *left -= 1;
            }
        }
        for (_, body) in &mut nodes[at].parts {
            if edit(body, left, false) {
                return true;
            }
        }
    }
    false
}
