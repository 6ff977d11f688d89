//! Checking: methods are chosen, names found, constants folded, and whatever was looked at becomes a dependency.

use crate::compiler::Compiler;
use crate::formula::{Expr, Formula, Kind, Number, Op};
use crate::machine::Code;
use kiln_caching::{Binding, CacheView, Instance, KnownArg, Module, NewCode, consts, datatype};
use std::collections::BTreeMap;

/// The result of checking a method instance. It names instances of this session, so it stays here, kept on the code
/// instance that it describes.
pub(crate) struct Checked {
    /// The instance's symbol in results.
    pub(crate) symbol: String,
    pub(crate) code: Code,
    /// The kinds of the arguments that are not constants of the instance.
    pub(crate) params: Vec<Kind>,
    pub(crate) kind: Kind,
    pub(crate) callees: Vec<Instance>,
}

/// Checks the method of `instance` for its arguments: all that kiln is told of the code it makes.
pub(crate) fn check(
    compiler: &Compiler,
    view: &CacheView<'_>,
    instance: Instance,
) -> Result<NewCode, String> {
    let (tables, types) = (compiler.tables(), compiler.tables().types());
    let data = tables.instance_data(instance);
    let method = tables.method(data.method);
    let mut symbol = types.name(method.name).to_owned();
    let formula = method.foreign::<Formula>().ok_or_else(|| format!("`{symbol}` is no formula"))?;
    let (mut scope, mut params) = (BTreeMap::new(), Vec::new());
    for (at, (name, _)) in formula.params.iter().enumerate() {
        let known = data.known_args.get(at + 1);
        let constant =
            known.and_then(|it| if let KnownArg::Const(it) = it { consts::as_int(types, *it) } else { None });
        let value = match constant {
            Some(it) => {
                symbol += &format!("_{it}").replace('-', "m");
                (Code::Number(Number::Int(it)), Kind::Int)
            }
            None => {
                let is_int = datatype::params(types, data.spec_types)[at + 1] == types.core().int64;
                symbol += if is_int { "_i" } else { "_f" };
                params.push(if is_int { Kind::Int } else { Kind::Float });
                (Code::Arg(params.len() - 1), params[params.len() - 1])
            }
        };
        scope.insert(&**name, value);
    }
    let mut check = Check { compiler, view, scope, callees: Vec::new(), new: NewCode::new() };
    let (code, kind) = check.expr(&formula.body)?;
    let Check { callees, mut new, .. } = check;
    if let Code::Number(Number::Int(it)) = code {
        new.always_returns(consts::int(types, it));
    }
    new.returns(compiler.ty(kind)).set_result(Checked { symbol, code, params, kind, callees });
    Ok(new)
}

struct Check<'a> {
    compiler: &'a Compiler,
    view: &'a CacheView<'a>,
    scope: BTreeMap<&'a str, (Code, Kind)>,
    callees: Vec<Instance>,
    /// Is told what the code depends on.
    new: NewCode,
}

impl Check<'_> {
    fn expr(&mut self, expr: &Expr) -> Result<(Code, Kind), String> {
        match expr {
            Expr::Number(it) => Ok((Code::Number(*it), it.kind())),
            Expr::Name(name) => self.name(name),
            Expr::List(all) => match &all[..] {
                [Expr::Name(name), condition, yes, no] if name == "if" => self.choice(condition, yes, no),
                [Expr::Name(name), args @ ..] => {
                    let args = args.iter().map(|it| self.expr(it)).collect::<Result<Vec<_>, _>>()?;
                    match Op::named(name) {
                        Some(op) => operation(op, args),
                        None => self.call(name, args),
                    }
                }
                _ => Err(format!("{expr} calls nothing")),
            },
        }
    }

    /// A parameter, or a constant of the program: that is a dependency on what its name means.
    fn name(&mut self, name: &str) -> Result<(Code, Kind), String> {
        if let Some(found) = self.scope.get(name) {
            return Ok(found.clone());
        }
        let tables = self.compiler.tables();
        let (main, symbol) = (Module::MAIN, tables.types().symbol(name));
        self.new.reads(main, symbol);
        let (binding, _) = tables.bindings.binding(main, symbol, self.view.world());
        let value = if let Binding::Const(it) = binding { it.as_int(tables.types().core()) } else { None };
        let value = value.ok_or_else(|| format!("`{name}` means nothing"))?;
        Ok((Code::Number(Number::Int(value)), Kind::Int))
    }

    fn choice(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Result<(Code, Kind), String> {
        let (condition, _) = self.expr(condition)?;
        if let Code::Number(it) = condition {
            return self.expr(if it.float() != 0.0 { yes } else { no });
        }
        let ((yes, kind), (no, other)) = (self.expr(yes)?, self.expr(no)?);
        let chosen = Code::If(Box::new([condition, yes, no]));
        if kind == other { Ok((chosen, kind)) } else { Err("an `if` of two kinds".into()) }
    }

    /// A call is a dependency on its callee, which is checked first: for its kind, or its value if that is always the same.
    /// Whole numbers among the arguments make an instance of their own, whose code has them in it.
    fn call(&mut self, name: &str, args: Vec<(Code, Kind)>) -> Result<(Code, Kind), String> {
        let types = self.compiler.tables().types();
        let kinds: Vec<Kind> = args.iter().map(|it| it.1).collect();
        let whole = |it: &(Code, Kind)| {
            if let Code::Number(Number::Int(it)) = it.0 { Some(consts::int(types, it)) } else { None }
        };
        let constants: Vec<_> = args.iter().map(whole).collect();
        let mut callee = self.compiler.instance(self.view, name, &kinds)?;
        if constants.iter().any(Option::is_some) {
            let of_all: Vec<_> = std::iter::once(None).chain(constants.iter().copied()).collect();
            callee = self.view.constant_instance(callee, &of_all);
        }
        let (ci, checked) = self.compiler.checked(self.view, callee)?;
        self.new.calls(callee);
        if let Some(value) = ci.return_const.and_then(|it| consts::as_int(types, it)) {
            return Ok((Code::Number(Number::Int(value)), Kind::Int));
        }
        self.callees.push(callee);
        let passed = args.into_iter().zip(constants).filter(|it| it.1.is_none()).map(|it| it.0.0);
        Ok((Code::Call(checked.symbol.clone(), passed.collect()), checked.kind))
    }
}

fn operation(op: Op, operands: Vec<(Code, Kind)>) -> Result<(Code, Kind), String> {
    let operands = <[_; 2]>::try_from(operands).map_err(|_| format!("`{}` has two operands", op.0))?;
    let [(a, x), (b, y)] = operands;
    let kind = op.kind([x, y]);
    Ok(match (&a, &b) {
        (Code::Number(a), Code::Number(b)) => (Code::Number(op.apply(*a, *b)), kind),
        _ => (Code::Op(op, Box::new([a, b])), kind),
    })
}
