//! Dynamic calls between compiled functions, without the interpreter: a site of a caller keeps, for the types that it was
//! called with, the compiled callee and how the operands become its arguments.

use crate::block::Block;
use crate::function::{CompiledFunction, LinkedFunction};
use crate::host_statement::HostCall;
use crate::statement_operand::Source;
use crate::trusted::{self, CallContext};
use crate::value_form::ValueForm;
use kiln_ir::Instance;
use kiln_runtime::heap::{boxes, compiled};
use kiln_runtime::tables::World;
use kiln_runtime::{CompiledBody, Run, Runtime, Value, collecting};
use kiln_types::Type;
use kiln_unit::OperandPlace;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Callees that a site keeps.
const CALLEES_MAX: usize = 8;
/// Bytes of arguments, and of a result, that most calls need no more of.
const FEW_BYTES: usize = 64;

#[repr(C, align(64))]
struct FewBytes([u8; FEW_BYTES]);

/// The lists of callees that a site makes: one for each callee that is kept, also where definitions end callees again and again.
const LISTS_MAX: usize = 4096;
/// A site that keeps all it can takes another callee once in so many calls of others: one that sees more types than it keeps would do
/// nothing else.
const CALLS_BEFORE_ANOTHER: u32 = 64;

/// The callees of a site. Reading them takes no lock: a list is never changed, and stays until the site is dropped.
#[derive(Debug, Default)]
pub(crate) struct DirectCalls {
    /// The number of lists that readers may see; the last of them counts.
    count: AtomicUsize,
    lists: boxcar::Vec<Box<[Kept]>>,
    /// Held while a list is made.
    making: Mutex<()>,
}

/// A callee that a site keeps, with what decides in most cases whether it is the one.
#[derive(Clone, Debug)]
struct Kept {
    world: World,
    first_key: Option<Key>,
    /// How often slots were given another meaning when it was linked.
    changes: u64,
    call: Arc<DirectCall>,
}

/// A callee, for operands of certain types in one world.
#[derive(Debug)]
pub(crate) struct DirectCall {
    world: World,
    /// The first is kept with the call.
    keys: Box<[Key]>,
    instance: Instance,
    callee: Arc<LinkedFunction>,
    moves: Box<[Move]>,
    args_bytes: usize,
    result: ResultMove,
}

/// The test of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// The object whose address is here has this type.
    ObjectOf(u32, Type),
    /// The object whose address is here is this one: a type.
    Same(u32, u64),
    /// The byte here, the position of a union's member, has this value.
    Tag(u32, u8),
}

impl Key {
    #[inline]
    fn fits(self, rt: &Runtime, operands: &[u8]) -> bool {
        match self {
            Self::ObjectOf(at, ty) => {
                trusted::heap_memory(&rt.heap).type_of_object(word(operands, at as usize)) == Some(ty)
            }
            Self::Same(at, object) => word(operands, at as usize) == object,
            Self::Tag(at, tag) => operands.get(at as usize) == Some(&tag),
        }
    }
}

/// How an argument of the callee is made.
#[derive(Debug)]
enum Move {
    /// This word.
    Word(usize, [u8; 8]),
    /// These bytes.
    Bytes(usize, Box<[u8]>),
    /// A copy of bytes of the operands: to, from, how many.
    Copy(usize, usize, usize),
    /// A copy of the data of the object whose address is there: to, from, how many.
    Unbox(usize, usize, usize),
    /// The object of data of the operands: to, from, the type, how many.
    Box(usize, usize, Type, usize),
}

/// How the value of the statement is made of the callee's result.
#[derive(Debug)]
enum ResultMove {
    /// So many bytes are the same.
    Copy(usize),
    /// The object of data.
    Box(Type, usize),
    /// By way of a value.
    Other(ValueForm, ValueForm),
}

impl DirectCalls {
    /// The callees, those kept last first.
    #[inline]
    fn known(&self) -> &[Kept] {
        let last = self.count.load(Ordering::Acquire).checked_sub(1);
        last.and_then(|it| self.lists.get(it)).map_or(&[], |it| it)
    }

    /// Returns the callee for these operands, if it is known.
    #[inline]
    pub(crate) fn find(&self, host: &HostCall<'_>, operands: &[u8]) -> Option<&DirectCall> {
        let (rt, links, world) = (host.rt, &host.env.exec.host_links, host.world);
        let fits = |it: &&Kept| {
            it.world == world
                && it.first_key.is_none_or(|it| it.fits(rt, operands))
                && it.call.keys.iter().skip(1).all(|it| it.fits(rt, operands))
                && links.since(it.changes) <= world
        };
        self.known().iter().find(fits).map(|it| &*it.call)
    }

    /// Whether a callee is to be kept after so many calls of others.
    pub(crate) fn takes(&self, calls: u32) -> bool {
        let is_full = self.known().len() >= CALLEES_MAX;
        self.count.load(Ordering::Relaxed) < LISTS_MAX
            && (!is_full || calls.is_multiple_of(CALLS_BEFORE_ANOTHER))
    }

    /// Keeps a callee: in place of one for the same types, or of the one that was kept first.
    pub(crate) fn keep(&self, call: DirectCall) {
        let _alone = self.making.lock();
        if self.count.load(Ordering::Relaxed) >= LISTS_MAX {
            return;
        }
        let others = self.known().iter().filter(|it| it.call.keys != call.keys).take(CALLEES_MAX - 1);
        let others: Vec<Kept> = others.cloned().collect();
        let kept = Kept {
            world: call.world,
            first_key: call.keys.first().copied(),
            changes: call.callee.changes(),
            call: Arc::new(call),
        };
        let last = self.lists.push(std::iter::once(kept).chain(others).collect());
        self.count.store(last + 1, Ordering::Release);
    }
}

impl DirectCall {
    /// The call of a compiled callee with these operands, which are `values`, in the running world. `None` if an argument has to be
    /// made in another way.
    pub(crate) fn new(
        rt: &Runtime,
        (instance, callee): (Instance, Arc<dyn CompiledBody>),
        (operands, values): (&[Source], &[Value]),
        result: &ValueForm,
    ) -> Option<Self> {
        let function = callee.as_any().downcast_ref::<CompiledFunction>()?.linked();
        if function.is_va() || operands.len() != function.arguments().len() {
            return None;
        }
        let (mut keys, mut moves) = (Vec::new(), Vec::new());
        for ((source, value), (place, form)) in operands.iter().zip(values).zip(function.arguments()) {
            match source {
                Source::Known(value) => {
                    let mut bytes = vec![0; form.size()];
                    if let ValueForm::Object = form {
                        bytes.copy_from_slice(&compiled::permanent_object(&rt.heap, *value).to_le_bytes());
                    } else {
                        form.pack(rt, *value, &mut bytes);
                    }
                    let at = place.offset as usize;
                    moves.push(match bytes.as_slice().try_into() {
                        Ok(word) => Move::Word(at, word),
                        Err(_) => Move::Bytes(at, bytes.into()),
                    });
                }
                Source::Passed(from, at) => {
                    keys.extend(key(rt, from, at, *value)?);
                    moves.extend(move_of((from, at.offset as usize), (form, place.offset as usize), *value)?);
                }
            }
        }
        let result = match (function.result(), result) {
            (ValueForm::Object, ValueForm::Object) => ResultMove::Copy(8),
            (ValueForm::Data(a, size), ValueForm::Data(b, _)) if a == b => ResultMove::Copy(*size),
            (_, ValueForm::Ghost(_)) => ResultMove::Copy(0),
            (ValueForm::Data(ty, size), ValueForm::Object) => ResultMove::Box(*ty, *size),
            (from, to) => ResultMove::Other(from.clone(), to.clone()),
        };
        Some(Self {
            world: rt.current_world(),
            keys: keys.into(),
            instance,
            args_bytes: function.args_bytes(),
            callee: function.clone(),
            moves: moves.into(),
            result,
        })
    }

    /// Calls the callee, and writes the value of the statement.
    pub(crate) fn call<'a>(
        &'a self,
        host: (&HostCall<'a>, CallContext<'_>),
        operands: &[u8],
        result: &mut [u8],
    ) -> Run<()> {
        let (args_bytes, result_bytes) = (self.args_bytes, self.callee.result_bytes());
        if args_bytes.max(result_bytes) <= FEW_BYTES {
            let (mut args, mut given) = (FewBytes([0; FEW_BYTES]), FewBytes([0; FEW_BYTES]));
            return self.call_with(
                host,
                operands,
                result,
                (&mut args.0[..args_bytes], &mut given.0[..result_bytes]),
            );
        }
        let (mut args, mut given) = (Block::new(args_bytes), Block::new(result_bytes));
        self.call_with(host, operands, result, (args.bytes_mut(), given.bytes_mut()))
    }

    #[inline]
    fn call_with<'a>(
        &'a self,
        (host, context): (&HostCall<'a>, CallContext<'_>),
        operands: &[u8],
        result: &mut [u8],
        (args, given): (&mut [u8], &mut [u8]),
    ) -> Run<()> {
        let rt = host.rt;
        for it in &self.moves {
            match it {
                Move::Word(to, word) => args[*to..*to + 8].copy_from_slice(word),
                Move::Bytes(to, bytes) => args[*to..*to + bytes.len()].copy_from_slice(bytes),
                Move::Copy(to, from, count) => {
                    copy(&operands[*from..*from + *count], &mut args[*to..*to + *count])
                }
                Move::Unbox(to, from, count) => {
                    let (memory, object) = (trusted::heap_memory(&rt.heap), word(operands, *from));
                    let to = &mut args[*to..*to + *count];
                    match <&mut [u8; 8]>::try_from(&mut *to) {
                        Ok(to) => *to = memory.word_of(object),
                        Err(_) => memory.copy_data_of(object, to),
                    }
                }
                Move::Box(to, from, ty, count) => {
                    let object = compiled::box_data(&rt.heap, *ty, &operands[*from..*from + *count]);
                    args[*to..*to + 8].copy_from_slice(&object.to_le_bytes());
                }
            }
        }
        collecting::safepoint(rt)?;
        rt.within_compiled_frame(self.instance, || self.callee.run_within((host, context), args, given))?;
        match &self.result {
            ResultMove::Copy(count) => copy(&given[..*count], &mut result[..*count]),
            ResultMove::Box(ty, size) => {
                let object = compiled::box_data(&rt.heap, *ty, &given[..*size]);
                result[..8].copy_from_slice(&object.to_le_bytes());
            }
            ResultMove::Other(from, to) => {
                let size = to.size();
                to.pack(rt, from.unpack(rt, given), &mut result[..size]);
            }
        }
        Ok(())
    }
}

/// Copies bytes: a word, as a rule.
#[inline]
fn copy(from: &[u8], to: &mut [u8]) {
    match (<&[u8; 8]>::try_from(from), <&mut [u8; 8]>::try_from(&mut *to)) {
        (Ok(from), Ok(to)) => *to = *from,
        _ => to.copy_from_slice(from),
    }
}

fn word(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|it| it.first_chunk()).map_or(0, |it| u64::from_le_bytes(*it))
}

/// What an operand in this form has to be to be dispatched on as `value` is; nothing where its form says all. `None` if that cannot
/// be told: of a type that is no object, as it is dispatched on by what it is.
fn key(rt: &Runtime, form: &ValueForm, place: &OperandPlace, value: Value) -> Option<Option<Key>> {
    let at = place.offset;
    if value.as_type(rt.types.core()).is_some() {
        // A type has one object.
        let object = || Key::Same(at, boxes::box_value(&rt.heap, value));
        return matches!(form, ValueForm::Object).then(|| Some(object()));
    }
    match form {
        ValueForm::Ghost(_) | ValueForm::Data(..) => Some(None),
        ValueForm::Object => Some(Some(Key::ObjectOf(at, value.ty()))),
        ValueForm::Tagged(members, payload) => {
            let tag = members.iter().position(|it| it.0 == value.ty())?;
            Some(Some(Key::Tag(at + u32::try_from(*payload).ok()?, tag as u8)))
        }
    }
}

/// How an operand in one form, which is `value`, becomes an argument in another. Nothing for an argument without bytes; `None` if
/// it is made in another way.
fn move_of(
    (from, at): (&ValueForm, usize),
    (to, place): (&ValueForm, usize),
    value: Value,
) -> Option<Option<Move>> {
    let data = match from {
        ValueForm::Data(ty, size) => Some((*ty, *size)),
        ValueForm::Tagged(members, _) => Some(*members.iter().find(|it| it.0 == value.ty())?),
        ValueForm::Ghost(_) | ValueForm::Object => None,
    };
    Some(Some(match (from, data, to) {
        (_, _, ValueForm::Ghost(_)) => return Some(None),
        (ValueForm::Object, _, ValueForm::Object) => Move::Copy(place, at, 8),
        (ValueForm::Object, _, ValueForm::Data(ty, size)) if *ty == value.ty() => {
            Move::Unbox(place, at, *size)
        }
        (_, Some((ty, size)), ValueForm::Data(wanted, _)) if ty == *wanted => Move::Copy(place, at, size),
        (_, Some((ty, size)), ValueForm::Object) if size > 0 => Move::Box(place, at, ty, size),
        _ => return None,
    }))
}
