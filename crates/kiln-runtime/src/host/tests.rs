//! Host functions in a session without a front end.

use super::*;
use crate::heap::{arrays, fields, memory, numbers, text, tuples};
use crate::{FileStatus, Frontend, HostIo, ParseRequest, ParsedText};
use kiln_ir::{Ast, SourceLoc};
use kiln_types::{Module, Types, datatype};
use std::sync::{Arc, Mutex};

/// Any text is one expression.
struct Lines;

impl Frontend for Lines {
    fn parse_text(&self, _: &Runtime, request: ParseRequest<'_>, ast: &mut Ast) -> ParsedText {
        let next = request.text.len();
        let one = kiln_ir::Expr::Line { line: 1, file: None };
        let expr = (request.start < next).then(|| ast.push(one, SourceLoc::NONE));
        ParsedText { expr, next, ..ParsedText::default() }
    }
}

/// A machine with one file that records output.
#[derive(Default)]
struct FakeIo {
    output: Arc<Mutex<Vec<u8>>>,
}

impl HostIo for FakeIo {
    fn write(&self, fd: i64, bytes: &[u8]) -> std::io::Result<usize> {
        if fd != 1 {
            return Err(std::io::Error::other("no such descriptor"));
        }
        self.output.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn read_file(&self, path: &str) -> std::io::Result<Vec<u8>> {
        if path == "/a" { Ok(b"text".to_vec()) } else { Err(std::io::ErrorKind::NotFound.into()) }
    }
    fn write_file(&self, _: &str, _: &[u8]) -> std::io::Result<()> {
        Err(std::io::ErrorKind::ReadOnlyFilesystem.into())
    }
    fn file_status(&self, path: &str, _: bool) -> std::io::Result<FileStatus> {
        if path != "/a" {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        Ok(FileStatus { mode: 0o100_644, size: 4, ..FileStatus::default() })
    }
    fn now_ns(&self) -> u64 {
        7
    }
    fn wall_time(&self) -> f64 {
        1.5
    }
    fn random_seed(&self) -> u64 {
        9
    }
    fn args(&self) -> Vec<String> {
        vec!["x".to_owned()]
    }
    fn env(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "/root".to_owned())
    }
}

fn session() -> (Runtime, Arc<Mutex<Vec<u8>>>) {
    let io = FakeIo::default();
    let output = io.output.clone();
    (Runtime::new(Arc::new(Types::new()), Box::new(Lines), Box::new(io)), output)
}

fn run(rt: &Runtime, name: &str, args: &[Value]) -> Value {
    call(rt, HostFunction::from_name(name).unwrap(), args).unwrap()
}

fn text(rt: &Runtime, value: Value) -> String {
    text::read(&rt.heap, value).unwrap()
}

/// Strings from memory and back, with bounds.
#[test]
fn strings_and_symbols() {
    let (rt, _) = session();
    let heap = &rt.heap;
    let bytes = fields::get(heap, arrays::byte_vector(heap, b"hello"), 0).unwrap();
    let memory = memory::ref_parts(heap, bytes).unwrap().memory;
    assert_eq!(text(&rt, run(&rt, "string_from_memory", &[memory, heap.int(1), heap.int(3)])), "ell");
    let outside = call(&rt, HostFunction::StringFromMemory, &[memory, heap.int(3), heap.int(3)]);
    assert_eq!(outside.unwrap_err().exception.ty(), heap.core().bounds_error);
    assert_eq!(text(&rt, run(&rt, "symbol_from_string", &[text::string(heap, "a b")])), "a b");
    let gensyms = [(); 2].map(|()| text(&rt, run(&rt, "gensym", &[text::string(heap, "x")])));
    assert!(gensyms[0].starts_with("##x#") && gensyms[0] != gensyms[1]);
}

/// Each float type prints with its own digits.
#[test]
fn floats() {
    let (rt, _) = session();
    let heap = &rt.heap;
    let show = |x, mode: &str, digits| {
        text(&rt, run(&rt, "float_to_string", &[x, heap.symbol(mode), heap.int(digits)]))
    };
    assert_eq!(show(numbers::float32(heap, 0.1), "shortest", 0), "0.1");
    assert_eq!(show(numbers::float64(heap, f64::from(0.1f32)), "shortest", 0), "0.10000000149011612");
    assert_eq!(show(numbers::float32(heap, 1e-3), "typed", 0), "0.001f0");
    assert_eq!(show(numbers::float64(heap, 1234.5678), "fixed", 2), "1234.57");
    let parsed = run(&rt, "parse_float64", &[text::string(heap, "1e3")]);
    assert_eq!(parsed.bits(), 1000f64.to_bits());
    assert!(run(&rt, "parse_float32", &[text::string(heap, "one")]).is_nothing(heap.core()));
}

/// Output arrives; services that the machine lacks return `nothing` or `false`.
#[test]
fn the_machine() {
    let (rt, output) = session();
    let heap = &rt.heap;
    let message = text::string(heap, "out");
    let pointer = run(&rt, "string_pointer", &[message]);
    assert_eq!(run(&rt, "write_bytes", &[heap.int(1), pointer, heap.int(3)]).bits(), 3);
    run(&rt, "write_bytes", &[heap.int(1), text::string(heap, "!")]);
    assert_eq!(*output.lock().unwrap(), b"out!");
    assert_eq!(text(&rt, run(&rt, "read_file", &[text::string(heap, "/a")])), "text");
    assert!(run(&rt, "read_file", &[text::string(heap, "/b")]).is_nothing(heap.core()));
    assert_eq!(
        run(&rt, "write_file", &[text::string(heap, "/b"), message]).as_bool(heap.core()),
        Some(false)
    );
    let follow = heap.bool(true);
    assert_eq!(arrays::len(heap, run(&rt, "file_status", &[text::string(heap, "/a"), follow])), 12);
    assert_eq!(run(&rt, "file_status", &[text::string(heap, "/b"), follow]).as_int(heap.core()), Some(2));
    assert_eq!(arrays::len(heap, run(&rt, "program_args", &[])), 1);
    let exit = call(&rt, HostFunction::Exit, &[heap.int(3)]).unwrap_err();
    assert_eq!(exit.abort, Some(crate::Abort::Exit(3)));
}

/// Types as reflection sees them.
#[test]
fn types_reflected() {
    let (rt, _) = session();
    let heap = &rt.heap;
    let core = *heap.core();
    let of = |ty| heap.type_value(ty);
    let met = run(&rt, "typeintersect", &[of(core.int8), of(core.signed)]);
    assert_eq!(met.as_type(&core), Some(core.int8));
    let layout = run(&rt, "datatype_layout", &[of(core.int128)]);
    let field = |name: &str| {
        let index = datatype::field_index(heap.types(), layout.ty(), heap.types().symbol(name)).unwrap();
        fields::get(heap, layout, index).unwrap()
    };
    assert_eq!(field("size").as_int(&core), Some(16));
    assert_eq!(field("isbits").as_bool(&core), Some(true));
    // Nothing is exported to `Main` in this session, so a name of `Core` is shown with its module.
    assert_eq!(text(&rt, run(&rt, "type_string", &[of(core.int8)])), "Core.Int8");
    let offset = run(&rt, "fieldoffset", &[of(core.line_number_node), heap.int(2)]);
    assert_eq!(offset.as_int(&core), Some(8));
    let owner = run(&rt, "module_of", &[of(core.int8)]);
    assert_eq!(text(&rt, run(&rt, "module_name", &[owner])), "Core");
    let tuple = of(datatype::tuple(heap.types(), &[core.any]));
    let same = rt.global(Module::CORE, rt.types.symbol("===")).unwrap();
    assert_eq!(run(&rt, "hasmethod", &[same, tuple]).as_bool(&core), Some(true));
    // It takes two arguments: a call with one throws.
    assert_eq!(run(&rt, "return_type", &[same, tuple]).as_type(&core), Some(core.bottom));
    let names = run(&rt, "module_names", &[owner, heap.bool(true)]);
    assert!(arrays::values(heap, names).iter().any(|&it| text(&rt, it) == "Int64"));
}

/// Positions count from 1, and the end gives `nothing`.
#[test]
fn parsing_tells_where_it_stopped() {
    let (rt, _) = session();
    let heap = &rt.heap;
    let parse = |start| {
        let rule = heap.symbol("statement");
        let args =
            [text::string(heap, "abc"), heap.int(start), rule, text::string(heap, "none"), heap.int(1)];
        run(&rt, "parse_string", &args)
    };
    assert_eq!(fields::get(heap, parse(1), 1).unwrap().as_int(heap.core()), Some(4));
    assert!(fields::get(heap, parse(4), 0).unwrap().is_nothing(heap.core()));
}

/// Wrong arguments are Julia exceptions.
#[test]
fn wrong_arguments() {
    let (rt, _) = session();
    let core = *rt.heap.core();
    let thrown = |f, args: &[Value]| call(&rt, f, args).unwrap_err().exception.ty();
    assert_eq!(thrown(HostFunction::SymbolName, &[rt.heap.int(1)]), core.type_error);
    assert_eq!(thrown(HostFunction::SymbolName, &[]), core.argument_error);
    assert_eq!(thrown(HostFunction::Rethrow, &[]), core.error_exception);
    assert_eq!(thrown(HostFunction::KernelSynchronize, &[]), core.error_exception);
}

/// Nonsense throws; nothing panics.
#[test]
fn nonsense_throws() {
    let (rt, _) = session();
    let heap = &rt.heap;
    let core = *heap.core();
    let values = [
        heap.int(-1),
        text::string(heap, "x"),
        heap.symbol("fixed"),
        numbers::float64(heap, 0.5),
        heap.type_value(core.array),
        heap.type_value(core.empty_tuple),
        Value::module(&core, Module::MAIN),
        tuples::new(heap, &[heap.int(1), heap.int(2)]),
    ];
    for &function in HostFunction::ALL {
        for &a in &values {
            for &b in &values {
                for count in 0..4 {
                    let _ = call(&rt, function, &[a, b, a][..count]);
                }
            }
        }
    }
}

/// A question about text is answered as the host function of the same name answers, or not at all.
#[test]
fn questions_about_text() {
    use HostFunction as H;
    let (rt, _) = session();
    let heap = &rt.heap;
    let texts: [&[u8]; 9] =
        [b"", b"a", b"abab", b" -12 ", b"300", b"1e3", "a\u{e9}b".as_bytes(), b"\xc3", b"a\xff"];
    let same = |function: H, known: Option<Value>, operands: &[TextOperand<'_>]| {
        let (question, first) = TextQuestion::of(&rt, function, known).expect("a question");
        assert_eq!(first, usize::from(known.is_some()));
        let value = |(at, it): (usize, &TextOperand<'_>)| match *it {
            TextOperand::Word(word) if function == H::FindText && at == 3 => heap.bool(word != 0),
            TextOperand::Text(bytes) => text::from_bytes(heap, bytes),
            TextOperand::Char(bits) => Value::inline(heap.core().char, bits.into()),
            TextOperand::Word(word) => heap.int(word),
        };
        let args: Vec<Value> = known.into_iter().chain(operands.iter().enumerate().map(value)).collect();
        let told = call(&rt, function, &args).unwrap_or_else(|_| panic!("{function:?} throws"));
        match question.answer(operands).expect("operands of the question") {
            TextAnswer::Nothing => assert!(told.is_nothing(heap.core()), "{function:?} {operands:?}"),
            TextAnswer::Bits(bits) => assert_eq!(bits as u64, told.bits(), "{function:?} {operands:?}"),
        }
    };
    let [bytes, int] = [heap.core().uint8, heap.core().int64].map(|it| Some(heap.type_value(it)));
    for a in texts.map(TextOperand::Text) {
        for name in ["chars", "ascii", "valid"] {
            same(H::TextFact, Some(heap.symbol(name)), &[a]);
        }
        for (ty, base) in [(bytes, 0), (bytes, 10), (int, 0), (int, 16), (int, 1), (int, -1)] {
            same(H::ParseInteger, ty, &[a, TextOperand::Word(base)]);
        }
        same(H::ParseFloat64, None, &[a]);
        same(H::ParseFloat32, None, &[a]);
        for b in texts
            .map(TextOperand::Text)
            .into_iter()
            .chain([b'a', 0xe9].map(|it| TextOperand::Char(u32::from(it) << 24)))
        {
            for (from, backwards) in
                [(i64::MIN, 0), (0, 0), (1, 0), (2, 0), (9, 0), (i64::MIN, 1), (0, 1), (4, 1), (i64::MAX, 1)]
            {
                same(H::FindText, None, &[a, b, TextOperand::Word(from), TextOperand::Word(backwards)]);
            }
            if matches!(b, TextOperand::Text(_)) {
                same(H::CompareText, None, &[a, b]);
                [i64::MIN, 0, 1, 2]
                    .iter()
                    .for_each(|&at| same(H::HasText, None, &[a, b, TextOperand::Word(at)]));
            }
        }
    }
    assert!(TextQuestion::Compare.answer(&[TextOperand::Text(b"a")]).is_none());
    assert!(TextQuestion::of(&rt, H::TextFact, None).is_none());
}
