//! Reads the text form of an [`IrCode`] back.
//!
//! Text names types, constants and modules; a [`Vocabulary`] resolves the names. Statements must be numbered in
//! layout order, as after `compact`. Positions and inlining are not in the text and are lost.

use crate::parse_error::{ParseError, ParseErrorKind, TextForm};
use crate::{
    Block, BlockData, Builtin, HostFunction, InlinedAt, Instance, Intrinsic, IrCode, Op, SourceLoc, Stmt,
    StmtData, ThrowSite, ThrowSiteData, ThunkStep, ThunkValue, Undefined, Value,
};
use kiln_types::{Const, Module, Type, Types, consts, core_types, display, module};
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// The meaning of the names in a text.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    types: FxHashMap<String, Type>,
    consts: FxHashMap<String, Const>,
    modules: FxHashMap<String, Module>,
}

impl Vocabulary {
    /// The types that exist before any source is read, and `nothing`, `true` and `false`.
    pub fn core(types: &Types) -> Self {
        let mut all = Self::default();
        for &(_, ty) in core_types::named(types) {
            all.add_type(types, ty);
        }
        all.add_type(types, types.core().bottom);
        for constant in [consts::nothing(types), consts::bool(types, true), consts::bool(types, false)] {
            all.add_const(types, constant);
        }
        for module in [Module::CORE, Module::BASE, Module::MAIN] {
            all.modules.insert(types.name(module::name(types, module)).to_owned(), module);
        }
        all
    }

    /// Returns a vocabulary of those and of everything that a body mentions.
    pub fn mentioned_in(code: &IrCode, types: &Types) -> Self {
        let mut all = Self::core(types);
        for &ty in code.args.iter().chain([&code.return_type]) {
            all.add_type(types, ty);
        }
        for data in code.stmts.values() {
            all.add_type(types, data.ty);
            data.op.each_operand(|value| {
                if let Value::Const(it) = value {
                    all.add_const(types, it);
                }
            });
            if let Op::CopyAst(it) = data.op {
                all.add_const(types, it);
            }
            if let Op::Global(module, _) | Op::IsDefinedGlobal(module, _) = data.op {
                all.modules.insert(types.name(module::name(types, module)).to_owned(), module);
            }
        }
        for site in code.throw_sites.values() {
            site.operands.iter().for_each(|&ty| all.add_type(types, ty));
            for step in &site.thunk {
                let (ThunkStep::Call(args) | ThunkStep::New(_, args)) = step;
                if let ThunkStep::New(ty, _) = step {
                    all.add_type(types, *ty);
                }
                for value in args {
                    if let ThunkValue::Const(it) = value {
                        all.add_const(types, *it);
                    }
                }
            }
        }
        all
    }

    /// Adds a type under the name it is shown by.
    pub fn add_type(&mut self, types: &Types, ty: Type) {
        self.types.insert(display::of_type(types, ty), ty);
    }

    /// Adds a constant under its text.
    pub fn add_const(&mut self, types: &Types, constant: Const) {
        self.consts.insert(display::of_const(types, constant), constant);
    }
}

type Parsed<T> = Result<T, ParseErrorKind>;

/// Reads a body.
pub fn parse(text: &str, types: &Types, vocabulary: &Vocabulary) -> Result<IrCode, ParseError> {
    let mut lines = text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty());
    let at = |line: usize| move |kind| ParseError { line: line + 1, kind };
    let Some((number, header)) = lines.next() else {
        return Err(ParseError { line: 1, kind: ParseErrorKind::Empty });
    };
    let mut reader =
        Reader { types, vocabulary, code: header_of(header, types, vocabulary).map_err(at(number))? };
    let mut in_site = None;
    for (number, line) in lines {
        if let Some(rest) = line.strip_prefix("  ") {
            match in_site {
                Some(site) => reader.step(site, rest),
                None => reader.statement(rest),
            }
            .map_err(at(number))?;
        } else if line.starts_with("site") {
            in_site = Some(reader.site(line).map_err(at(number))?);
        } else {
            reader.block(line).map_err(at(number))?;
        }
    }
    Ok(reader.code)
}

fn header_of(line: &str, types: &Types, vocabulary: &Vocabulary) -> Parsed<IrCode> {
    let (signature, return_type) = split_type(line)?;
    let (name, args) = split_call(signature)?;
    let find = |text: &str| find_type(vocabulary, text);
    let args: Parsed<Vec<Type>> = split_list(args).into_iter().map(|it| find(split_type(it)?.1)).collect();
    let name = types.symbol(name);
    let own = InlinedAt { callee: Instance::from_u32(0), name, call: SourceLoc::NONE, parent: 0 };
    Ok(IrCode {
        name,
        args: args?,
        stmts: Default::default(),
        blocks: Default::default(),
        inlined_at: vec![own],
        throw_sites: Default::default(),
        return_type: find(return_type)?,
    })
}

fn find_type(vocabulary: &Vocabulary, text: &str) -> Parsed<Type> {
    vocabulary.types.get(text).copied().ok_or_else(|| ParseErrorKind::UnknownType(text.into()))
}

struct Reader<'a> {
    types: &'a Types,
    vocabulary: &'a Vocabulary,
    code: IrCode,
}

impl Reader<'_> {
    fn block(&mut self, line: &str) -> Parsed<()> {
        let block = block(line.trim().strip_suffix(':').ok_or(TextForm::Block)?)?;
        let expected = self.code.blocks.push(BlockData::default());
        if block == expected { Ok(()) } else { Err(ParseErrorKind::NotNext(expected.to_string())) }
    }

    fn statement(&mut self, line: &str) -> Parsed<()> {
        let Some(current) = self.code.blocks.last().map(|it| it.0) else {
            return Err(TextForm::Statement.into());
        };
        let (number, rest) = match line.split_once(" = ") {
            Some((number, rest)) if number.starts_with('%') => (Some(stmt(number)?), rest),
            _ => (None, line),
        };
        let typed = number.is_some() && !rest.starts_with("enter ");
        let (text, ty) = match typed {
            true => split_type(rest).map(|(text, ty)| (text, find_type(self.vocabulary, ty)))?,
            false => (rest, Ok(self.types.core().bottom)),
        };
        let op = self.operation(text)?;
        let data = StmtData { op, ty: ty?, loc: SourceLoc::NONE, inlined: 0, inbounds: false };
        let made = self.code.append(current, data);
        match number {
            Some(number) if number != made => Err(ParseErrorKind::NotNext(made.to_string())),
            _ => Ok(()),
        }
    }

    fn operation(&self, text: &str) -> Parsed<Op> {
        let word = text.split([' ', '(']).next().unwrap_or_default();
        let rest = text[word.len()..].trim_start();
        Ok(match word {
            "φ" => Op::Phi(self.incoming(rest)?),
            "π" => Op::Pi(self.value(parenthesized(rest)?)?),
            "ϒ" => Op::Upsilon(self.value(parenthesized(rest)?)?),
            "φᶜ" => Op::PhiC(self.values(parenthesized(rest)?)?),
            "gpuc.lookup" => {
                let (name, args) = split_call(rest)?;
                Op::Lookup(Instance::from_u32(numbered(name, "mi")?), self.values(args)?)
            }
            "invoke" | "fail" | "report" => {
                let (name, args) = split_call(rest)?;
                let args = self.values(args)?;
                if word == "invoke" {
                    Op::Invoke(Instance::from_u32(numbered(name, "mi")?), args)
                } else {
                    let site = ThrowSite::from_u32(numbered(name, "site")?);
                    if word == "fail" { Op::Fail(site, args) } else { Op::Report(site, args) }
                }
            }
            "dynamic" => Op::Call(self.values(parenthesized(rest)?)?),
            "new" => Op::New(self.values(parenthesized(rest)?)?),
            "new_dynamic" => Op::NewDynamic(self.values(parenthesized(rest)?)?),
            "leave" => Op::Leave(self.values(parenthesized(rest)?)?),
            "splatnew" => match self.values(parenthesized(rest)?)?[..] {
                [ty, args] => Op::SplatNew(ty, args),
                _ => return Err(TextForm::SplatNew.into()),
            },
            "boundscheck" => Op::BoundsCheck,
            "the_exception" => Op::TheException,
            "nop" => Op::Nop,
            "unreachable" => Op::Unreachable,
            "pop_exception" => Op::PopException(self.value(rest)?),
            "return" => Op::Return(self.value(rest)?),
            "goto" => Op::Goto(block(rest)?),
            "copyast" => Op::CopyAst(self.constant(rest)?),
            "loopinfo" => Op::LoopInfo(rest.split_whitespace().map(|it| self.types.symbol(it)).collect()),
            "enter" => {
                let (body, handler) = rest.split_once(", ").ok_or(TextForm::Enter)?;
                Op::Enter { body: block(body)?, handler: block(handler)? }
            }
            "branch" => {
                let (cond, targets) = rest.rsplit_once(" ? ").ok_or(TextForm::BranchCondition)?;
                let (then, other) = targets.split_once(" : ").ok_or(TextForm::BranchTargets)?;
                Op::Branch { cond: self.value(cond)?, then: block(then)?, other: block(other)? }
            }
            "throw_undef_if_not" => {
                let (name, value) = rest.split_once(", ").ok_or(TextForm::ThrowUndefIfNot)?;
                let what = match name.strip_prefix("static ") {
                    Some(name) => Undefined::StaticParam(self.types.symbol(name)),
                    None => Undefined::Local(self.types.symbol(name)),
                };
                Op::ThrowUndefIfNot(what, self.value(value)?)
            }
            "isdefined" => {
                let (module, name) = self.global(rest)?;
                Op::IsDefinedGlobal(module, name)
            }
            _ => self.named_call(text)?,
        })
    }

    fn named_call(&self, text: &str) -> Parsed<Op> {
        if !text.ends_with(')') {
            let (module, name) = self.global(text)?;
            return Ok(Op::Global(module, name));
        }
        let (name, args) = split_call(text)?;
        let args = self.values(args)?;
        let unknown = || ParseErrorKind::UnknownName(name.into());
        if let Some(name) = name.strip_prefix("Intrinsics.") {
            return Intrinsic::from_name(name).map(|it| Op::Intrinsic(it, args)).ok_or_else(unknown);
        }
        if let Some(name) = name.strip_prefix("Core.Host.") {
            return HostFunction::from_name(name).map(|it| Op::Host(it, args)).ok_or_else(unknown);
        }
        let name = name.strip_prefix("Core.").ok_or_else(unknown)?;
        Builtin::from_name(name).map(|it| Op::Builtin(it, args)).ok_or_else(unknown)
    }

    fn incoming(&self, text: &str) -> Parsed<Vec<(Block, Value)>> {
        let parts = split_list(parenthesized(text)?).into_iter();
        let pairs = parts.map(|it| {
            let (from, value) = it.split_once(" => ").ok_or(TextForm::Incoming)?;
            Ok((block(from)?, self.value(value)?))
        });
        pairs.collect()
    }

    fn values(&self, text: &str) -> Parsed<Vec<Value>> {
        split_list(text).into_iter().map(|it| self.value(it)).collect()
    }

    fn value(&self, text: &str) -> Parsed<Value> {
        if text.starts_with('%') && text.len() > 1 {
            return stmt(text).map(Value::Stmt);
        }
        if let Some(n) = text.strip_prefix('_').and_then(|it| it.parse().ok()) {
            return Ok(Value::Arg(n));
        }
        self.constant(text).map(Value::Const)
    }

    fn constant(&self, text: &str) -> Parsed<Const> {
        if let Some(&found) = self.vocabulary.consts.get(text) {
            return Ok(found);
        }
        match i64::from_str(text) {
            Ok(number) => Ok(consts::int(self.types, number)),
            Err(_) => Err(ParseErrorKind::UnknownConstant(text.into())),
        }
    }

    fn global(&self, text: &str) -> Parsed<(Module, kiln_types::Symbol)> {
        let (module, name) = text.split_once('.').ok_or_else(|| ParseErrorKind::NotOperation(text.into()))?;
        let found = self.vocabulary.modules.get(module).copied();
        Ok((found.ok_or_else(|| ParseErrorKind::UnknownModule(module.into()))?, self.types.symbol(name)))
    }

    fn site(&mut self, line: &str) -> Parsed<ThrowSite> {
        let (name, operands) = split_call(line.trim().strip_suffix(':').ok_or(TextForm::Site)?)?;
        let operands =
            split_list(operands).into_iter().map(|it| find_type(self.vocabulary, split_type(it)?.1));
        let operands: Parsed<Vec<Type>> = operands.collect();
        let data = ThrowSiteData { operands: operands?, thunk: Vec::new(), loc: SourceLoc::NONE, inlined: 0 };
        let made = self.code.throw_sites.push(data);
        if numbered(name, "site")? == made.as_u32() {
            Ok(made)
        } else {
            Err(ParseErrorKind::NotNext(made.to_string()))
        }
    }

    fn step(&mut self, site: ThrowSite, line: &str) -> Parsed<()> {
        let (_, rest) = line.split_once(" = ").ok_or(TextForm::Step)?;
        let (head, args) = split_call(rest)?;
        let args: Parsed<Vec<ThunkValue>> =
            split_list(args).into_iter().map(|it| self.thunk_value(it)).collect();
        let step = match head.strip_prefix("new ") {
            Some(ty) => ThunkStep::New(find_type(self.vocabulary, ty)?, args?),
            None => ThunkStep::Call(args?),
        };
        self.code.throw_sites[site].thunk.push(step);
        Ok(())
    }

    fn thunk_value(&self, text: &str) -> Parsed<ThunkValue> {
        if let Some(n) = text.strip_prefix('#').and_then(|it| it.parse().ok()) {
            return Ok(ThunkValue::Operand(n));
        }
        if let Some(n) = text.strip_prefix('!').and_then(|it| it.parse().ok()) {
            return Ok(ThunkValue::Step(n));
        }
        self.constant(text).map(ThunkValue::Const)
    }
}

fn numbered(text: &str, prefix: &'static str) -> Parsed<u32> {
    let number = text.trim().strip_prefix(prefix).and_then(|it| it.parse().ok());
    number.ok_or_else(|| ParseErrorKind::NotNumbered { text: text.into(), prefix })
}

fn block(text: &str) -> Parsed<Block> {
    numbered(text, "bb").map(Block::from_u32)
}

fn stmt(text: &str) -> Parsed<Stmt> {
    numbered(text, "%").map(Stmt::from_u32)
}

/// `text::type`: the last `::` outside of brackets and quotes.
fn split_type(text: &str) -> Parsed<(&str, &str)> {
    let mut found = None;
    outside(text, |at, rest| {
        if rest.starts_with("::") {
            found = Some(at);
        }
    });
    let at = found.ok_or(TextForm::Typed)?;
    Ok((&text[..at], &text[at + 2..]))
}

/// `name(args)`: the bracket that the last one closes.
fn split_call(text: &str) -> Parsed<(&str, &str)> {
    let mut open = None;
    outside(text, |at, rest| {
        if rest.starts_with('(') {
            open = Some(at);
        }
    });
    let at = open.ok_or(TextForm::OpeningBracket)?;
    let args = text[at + 1..].strip_suffix(')').ok_or(TextForm::ClosingBracket)?;
    Ok((&text[..at], args))
}

fn parenthesized(text: &str) -> Parsed<&str> {
    let inner = text.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    inner.ok_or_else(|| ParseErrorKind::NotParenthesized(text.into()))
}

/// Splits at commas outside of brackets and quotes.
fn split_list(text: &str) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut ends = Vec::new();
    outside(text, |at, rest| {
        if rest.starts_with(", ") {
            ends.push(at);
        }
    });
    let starts = std::iter::once(0).chain(ends.iter().map(|it| it + 2));
    starts.zip(ends.iter().copied().chain([text.len()])).map(|(start, end)| &text[start..end]).collect()
}

/// Visits each place outside of brackets and quotes (opening brackets are outside), with the text from there.
fn outside<'a>(text: &'a str, mut visit: impl FnMut(usize, &'a str)) {
    let mut depth = 0usize;
    let mut quoted = false;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if quoted {
            quoted = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        if depth == 0 {
            visit(at, &text[at..]);
        }
        match letter {
            '"' => quoted = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::sample;
    use kiln_types::ConstData;
    use kiln_types::datatype;

    #[test]
    fn printing_what_was_read_gives_the_text_again() {
        let (types, code) = sample();
        let text = code.display(&types).to_string();
        let read = parse(&text, &types, &Vocabulary::mentioned_in(&code, &types))
            .expect("the printer's text is valid");
        assert_eq!(read.display(&types).to_string(), text);
        assert_eq!(crate::verify(&read, &types), vec![]);
    }

    /// Every operation prints and parses back to the same text.
    #[test]
    fn every_operation_has_a_text() {
        let text = "f(_0::Bool, _1::Int64)::Any\n\
                    bb0:\n  %0 = enter bb1, bb4\n\
                    bb1:\n  %1 = loopinfo julia.ivdep\n"
            .to_owned();
        let text = text.replace("julia.ivdep\n", "julia.ivdep::Nothing\n")
            + "  \
                    %2 = Core.Host.HOST(_1)::Any\n  \
                    %3 = Intrinsics.add_int(_1, -7)::Int64\n  \
                    %4 = Core.getfield(%2, :a, true)::Any\n  \
                    %5 = invoke mi12(_0, %4)::Int64\n  \
                    %6 = dynamic(:a, \"a, b) ::\\\"\", nothing)::Any\n  \
                    %7 = new(%6)::Box\n  \
                    %8 = new_dynamic(Int64, %3)::Any\n  \
                    %9 = splatnew(Int64, %6)::Any\n  \
                    %10 = Main.x::Any\n  \
                    %11 = boundscheck::Bool\n  \
                    %12 = isdefined Main.y::Bool\n  \
                    %13 = throw_undef_if_not z, %12::Any\n  \
                    %14 = π (%6)::Tuple{Int64, Vararg{String}}\n  \
                    %15 = copyast :a::Any\n  \
                    %16 = ϒ (%3)::Int64\n  \
                    %17 = leave(%0)::Any\n  \
                    nop\n  \
                    branch %11 ? bb2 : bb3\n\
                    bb2:\n  return %6\n\
                    bb3:\n  fail site0(%3, _0)\n\
                    bb4:\n  %22 = φᶜ (%16)::Int64\n  %23 = the_exception::Any\n  %24 = pop_exception %0::Any\n  goto bb5\n\
                    bb5:\n  %26 = φ (bb4 => 1)::Int64\n  unreachable\n\
                    site0(#0::Int64, #1::Bool):\n  !0 = new Box(#0)\n  !1 = call(:a, !0, #1, \"s\")\n";
        let text = text.replace("HOST", HostFunction::ALL[0].name());
        let types = Types::new();
        let mut vocabulary = Vocabulary::core(&types);
        let core = types.core();
        vocabulary.add_type(
            &types,
            datatype::tuple(&types, &[core.int64, datatype::vararg(&types, core.string, None)]),
        );
        vocabulary.add_const(&types, consts::symbol(&types, types.symbol("a")));
        vocabulary.add_const(&types, consts::of_type(&types, core.int64));
        for string in ["s", "a, b) ::\""] {
            vocabulary.add_const(&types, types.constant(ConstData::String(string.as_bytes().into())));
        }
        let code = parse(&text, &types, &vocabulary).unwrap_or_else(|it| panic!("{it:?}\n{text}"));
        assert_eq!(code.display(&types).to_string(), text);
        let again = parse(&text, &types, &Vocabulary::mentioned_in(&code, &types))
            .expect("the body's own words suffice");
        assert_eq!(again, code);
    }

    #[test]
    fn commas_and_colons_in_strings_and_types_separate_nothing() {
        assert_eq!(split_list(r#"%1, "a, b)", Tuple{A, B}"#), ["%1", r#""a, b)""#, "Tuple{A, B}"]);
        assert_eq!(split_type(r#"f("::")::Int64"#), Ok((r#"f("::")"#, "Int64")));
    }

    #[test]
    fn an_error_names_its_line() {
        let (types, code) = sample();
        let text = code.display(&types).to_string().replace("slt_int", "less_int");
        let error = parse(&text, &types, &Vocabulary::mentioned_in(&code, &types))
            .expect_err("there is no such intrinsic");
        assert_eq!(error.to_string(), "line 3: there is no `Intrinsics.less_int`");
    }
}
