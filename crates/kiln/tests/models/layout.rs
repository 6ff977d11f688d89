//! Layout: generated structs, whose sizes, alignments and offsets the model computes, and whose values come back from arrays.

use crate::judge::{Form, Judged, LOG};
use kiln_testing::random::Rng;

/// Name, bytes.
const PRIMITIVES: [(&str, usize); 9] = [
    ("Int8", 1),
    ("UInt8", 1),
    ("Int16", 2),
    ("Float16", 2),
    ("Int32", 4),
    ("Float32", 4),
    ("Int64", 8),
    ("Float64", 8),
    ("Char", 4),
];
const STRUCTS: usize = 3;
const LOG_MAX: usize = 400;

#[derive(Clone)]
enum Field {
    Primitive(usize),
    /// An earlier struct.
    Struct(usize),
    /// So many elements of a primitive type.
    Tuple(usize, usize),
    /// The same as elements of a vector.
    Vector(usize, usize),
    /// One of two primitive types, in line.
    Union(usize, usize),
    /// On the heap.
    Reference,
}

struct Struct {
    fields: Vec<Field>,
    offsets: Vec<usize>,
    size: usize,
    align: usize,
}

impl Struct {
    /// Fields follow each other, each at a multiple of its alignment; the size is a multiple of the largest.
    fn new(fields: Vec<Field>, earlier: &[Struct]) -> Self {
        let (mut size, mut align, mut offsets) = (0usize, 1, Vec::new());
        for field in &fields {
            let (field_size, field_align) = shape(field, earlier);
            size = size.next_multiple_of(field_align);
            offsets.push(size);
            size += field_size;
            align = align.max(field_align);
        }
        Self { fields, offsets, size: size.next_multiple_of(align), align }
    }

    /// Whether values are plain bits.
    fn is_plain(&self, earlier: &[Struct]) -> bool {
        self.fields.iter().all(|it| match it {
            Field::Struct(at) => earlier[*at].is_plain(earlier),
            Field::Union(..) | Field::Reference => false,
            Field::Primitive(_) | Field::Tuple(..) | Field::Vector(..) => true,
        })
    }
}

/// Size and alignment of a field.
fn shape(field: &Field, earlier: &[Struct]) -> (usize, usize) {
    let bytes = |primitive: &usize| PRIMITIVES[*primitive].1;
    match field {
        Field::Primitive(it) => (bytes(it), bytes(it)),
        Field::Struct(it) => (earlier[*it].size, earlier[*it].align),
        Field::Tuple(it, len) => (bytes(it) * len, bytes(it)),
        // Aligned as a vector register is: at the next power of two.
        Field::Vector(it, len) => {
            let align = (bytes(it) * len).next_power_of_two();
            ((bytes(it) * len).next_multiple_of(align), align)
        }
        // Behind the largest member a byte says which it is.
        Field::Union(a, b) => (bytes(a).max(bytes(b)) + 1, bytes(a).max(bytes(b))),
        Field::Reference => (8, 8),
    }
}

fn field(rng: &mut Rng, earlier: usize) -> Field {
    let primitive = |rng: &mut Rng| rng.below(PRIMITIVES.len());
    match rng.below(10) {
        0..=3 => Field::Primitive(primitive(rng)),
        4 | 5 if earlier > 0 => Field::Struct(rng.below(earlier)),
        4..=6 => Field::Tuple(primitive(rng), 1 + rng.below(4)),
        7 => {
            let it = primitive(rng);
            let len_max = 16 / PRIMITIVES[it].1;
            Field::Vector(it, 1 + rng.below(len_max.min(4)))
        }
        8 => {
            let first = primitive(rng);
            let second = (first + 1 + rng.below(PRIMITIVES.len() - 1)) % PRIMITIVES.len();
            Field::Union(first, second)
        }
        _ => Field::Reference,
    }
}

fn type_text(field: &Field) -> String {
    let name = |it: &usize| PRIMITIVES[*it].0;
    match field {
        Field::Primitive(it) => name(it).to_owned(),
        Field::Struct(it) => format!("S{it}"),
        Field::Tuple(it, len) => format!("NTuple{{{len}, {}}}", name(it)),
        Field::Vector(it, len) => format!("NTuple{{{len}, VecElement{{{}}}}}", name(it)),
        Field::Union(a, b) => format!("Union{{{}, {}}}", name(a), name(b)),
        Field::Reference => "Any".to_owned(),
    }
}

/// Small numbers, one after the other, so that neighbours differ.
struct Numbers(i64);

impl Numbers {
    fn draw(&mut self) -> i64 {
        self.0 = self.0 % 100 + 1;
        self.0
    }
}

/// The text of a value; its numbers are added to `said`.
fn value_text(field: &Field, structs: &[Struct], numbers: &mut Numbers, said: &mut Vec<i64>) -> String {
    let mut one = |primitive: usize, said: &mut Vec<i64>| {
        let number = numbers.draw();
        said.push(number);
        format!("{}({number})", PRIMITIVES[primitive].0)
    };
    match field {
        Field::Primitive(it) | Field::Union(_, it) => one(*it, said),
        Field::Struct(it) => struct_text(*it, structs, numbers, said),
        Field::Tuple(it, len) => {
            let parts: Vec<String> = (0..*len).map(|_| one(*it, said)).collect();
            format!("({},)", parts.join(", "))
        }
        Field::Vector(it, len) => {
            let parts: Vec<String> = (0..*len).map(|_| format!("VecElement({})", one(*it, said))).collect();
            format!("({},)", parts.join(", "))
        }
        Field::Reference => one(6, said),
    }
}

fn struct_text(at: usize, structs: &[Struct], numbers: &mut Numbers, said: &mut Vec<i64>) -> String {
    let fields: Vec<String> =
        structs[at].fields.iter().map(|it| value_text(it, structs, numbers, said)).collect();
    format!("S{at}({})", fields.join(", "))
}

/// Statements that log the numbers of the value that `path` leads to.
fn reads(field: &Field, path: &str, structs: &[Struct], out: &mut String) {
    let read = |path: &str| format!("    put(o, n({path}))\n");
    match field {
        Field::Primitive(_) | Field::Union(..) | Field::Reference => out.push_str(&read(path)),
        Field::Struct(it) => {
            for (k, inner) in structs[*it].fields.iter().enumerate() {
                reads(inner, &format!("{path}.f{k}"), structs, out);
            }
        }
        Field::Tuple(_, len) => (1..=*len).for_each(|k| out.push_str(&read(&format!("{path}[{k}]")))),
        Field::Vector(_, len) => (1..=*len).for_each(|k| out.push_str(&read(&format!("{path}[{k}].value")))),
    }
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Judged {
    let mut rng = Rng::new(seed);
    let mut structs: Vec<Struct> = Vec::new();
    for _ in 0..STRUCTS {
        let fields = (0..1 + rng.below(5)).map(|_| field(&mut rng, structs.len())).collect();
        let made = Struct::new(fields, &structs);
        structs.push(made);
    }
    let mut text = format!("{LOG}n(x) = Int(x)\nn(x::Char) = Int(UInt32(x))\n");
    let (mut log, mut told) = (Vec::new(), String::new());
    for (at, it) in structs.iter().enumerate() {
        let fields: Vec<String> =
            it.fields.iter().enumerate().map(|(k, field)| format!("f{k}::{}", type_text(field))).collect();
        text.push_str(&format!("struct S{at}\n    {}\nend\n", fields.join("\n    ")));
        told.push_str(&format!("    put(o, sizeof(S{at}))\n    put(o, Base.datatype_alignment(S{at}))\n"));
        log.extend([it.size as i64, it.align as i64]);
        for (k, offset) in it.offsets.iter().enumerate() {
            told.push_str(&format!("    put(o, Int(fieldoffset(S{at}, {})))\n", k + 1));
            log.push(*offset as i64);
        }
    }
    let last = structs.len() - 1;
    let (mut numbers, mut said) = (Numbers(0), Vec::new());
    let values: Vec<String> = (0..3).map(|_| struct_text(last, &structs, &mut numbers, &mut said)).collect();
    let mut read = String::new();
    reads(&Field::Struct(last), "x", &structs, &mut read);
    // Read from the last to the first, each out of an array that was copied element by element.
    let each = said.len() / values.len();
    said.chunks(each).rev().for_each(|it| log.extend(it));
    let size = LOG_MAX + 1;
    let is_plain = structs[last].is_plain(&structs);
    text.push_str(&format!(
        "values() = S{last}[{}]\n\
         function entry(o, a, b)\n    for i in 1:3\n        b[i] = a[i]\n    end\n    for i in 3:-1:1\n    x = b[i]\n{read}    end\n    nothing\nend\n\
         function sizes(o)\n{told}    nothing\nend\n\
         host() = (o = zeros(Int, {size}); sizes(o); entry(o, values(), similar(values())); shown(o))\n",
        values.join(", ")
    ));
    if is_plain {
        text.push_str(&format!(
            "k(o, a, b) = (entry(o, a, b); return)\n\
             device() = (o = zeros(Int, {size}); sizes(o); d = CuArray(o); a = CuArray(values()); @cuda k(d, a, similar(a)); shown(Array(d)))\n"
        ));
    }
    let expected: Vec<String> = log.iter().map(i64::to_string).collect();
    let form = if is_plain { Form::Kernel } else { Form::Host };
    Judged { text, form, expected: expected.join(" ") }
}
