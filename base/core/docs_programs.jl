# Documentation of functions about types, definitions, fields and exceptions.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    !x
    !f

The negation of a `Bool`, or the function that negates the results of `f`.
"""
(!)

"""
    x != y
    x ≠ y
    !=(y)

Whether `x == y` is false. With one argument, the function that compares with it.
"""
(!=)

"""
    x !== y
    x ≢ y

Whether two values can be told apart: the negation of `===`.
"""
(!==)

"""
    T1 <: T2

Whether every value of type `T1` is also one of type `T2`.
"""
(<:)

"""
    x == y
    ==(y)

Whether two values are equal, by their content. `NaN` differs from itself, and a comparison with `missing` is
`missing`.
"""
(==)

"""
    x === y
    x ≡ y

Whether no program can tell `x` and `y` apart: the same object, or immutable values of equal bits.
"""
(===)

"""
    T1 >: T2

Whether `T2 <: T1`.
"""
(>:)

"""
    big"number"

A `BigInt` or `BigFloat`, parsed from the text.
"""
var"@big_str"

"""
    `command`

A `Cmd`: the words of a command, of which `\$x` interpolates values.
"""
Core.var"@cmd"

"""
    @doc name
    @doc text definition

The documentation of a name, or a definition with its documentation.
"""
var"@doc"

"""
    int128"number"

An `Int128`, parsed from the text.
"""
var"@int128_str"

"""
    uint128"number"

A `UInt128`, parsed from the text.
"""
var"@uint128_str"

"""
    x |> f

The call `f(x)`.
"""
(|>)

"""
    f ∘ g

The function that calls `f` with the result of `g`.
"""
(∘)

"""
    x ≠ y

Whether `x == y` is false.
"""
(≠)

"""
    x ≡ y

Whether no program can tell `x` and `y` apart: `x === y`.
"""
(≡)

"""
    x ≢ y

Whether two values can be told apart: `x !== y`.
"""
(≢)

"""
    x ≤ y

Whether `x` is less than or equal to `y`.
"""
(≤)

"""
    x ≥ y

Whether `x` is greater than or equal to `y`.
"""
(≥)

"""
    applicable(f, args...)

Whether a method of `f` fits these arguments.
"""
applicable

"""
    backtrace()

The frames that run now, for `stacktrace`.
"""
backtrace

"""
    catch_backtrace()

The frames that the exception being handled came through.
"""
catch_backtrace

"""
    code_lowered(f, types)

The lowered code of the methods of `f` for argument types.
"""
code_lowered

"""
    code_typed(f, types; optimize = true)

The code of `f` for argument types with inferred types, and the types it returns.
"""
code_typed

"""
    convert(T, x)

`x` as a value of type `T`. Unlike a constructor it is called by assignments to fields, elements and typed variables.
"""
convert

"""
    current_exceptions(task = current_task(); backtrace = true)

The exceptions that a task handles now or that ended it, the cause first.
"""
current_exceptions

"""
    deepcopy(x)

A copy of an object and of all objects it refers to.
"""
deepcopy

"""
    error(parts...)

Throws an `ErrorException` with a text made of the parts.
"""
error

"""
    esc(ex)

Marks a part of what a macro returns as the caller's, so that its names mean what they mean there.
"""
esc

"""
    evalfile(path, args = String[])

Evaluates a file in a new module and returns its last value.
"""
evalfile

"""
    fieldcount(T)

The number of fields of a type.
"""
fieldcount

"""
    fieldname(T, i)

The name of field number `i` of a type.
"""
fieldname

"""
    fieldnames(T)

The names of a type's fields.
"""
fieldnames

"""
    fieldoffset(T, i)

The distance of field number `i` from the start of a value, in bytes.
"""
fieldoffset

"""
    fieldtype(T, name)

The declared type of a field, by its name or number.
"""
fieldtype

"""
    fieldtypes(T)

The declared types of all fields.
"""
fieldtypes

"""
    finalize(x)

Calls the finalizers of an object now.
"""
finalize

"""
    finalizer(f, x)

Calls `f(x)` when nothing refers to the object any more, and returns it.
"""
finalizer

"""
    fullname(mod)

The names of the modules around a module, and its own, as a tuple.
"""
fullname

"""
    functionloc(f, types)

The file and line of a method.
"""
functionloc

"""
    gensym([tag])

A symbol that is used nowhere else.
"""
gensym

"""
    getfield(x, name, order = :not_atomic)

The value of a field, by its name or number.
"""
getfield

"""
    getglobal(mod, name, order = :monotonic)

The value of a global variable of a module.
"""
getglobal

"""
    getproperty(x, name)
    x.name

The value of a property, which is a field unless a type has its own method.
"""
getproperty

"""
    hasfield(T, name)

Whether a type has a field.
"""
hasfield

"""
    hasmethod(f, types, keywords = ())

Whether a function has a method for argument types, and for keywords.
"""
hasmethod

"""
    identity(x)

`x` itself.
"""
identity

"""
    include_dependency(path; track_content = true)

Declares that the package depends on a file.
"""
include_dependency

"""
    include_string([f,] mod, code, filename = "string")

Evaluates a text as if it stood in a file; `f` may change each expression first.
"""
include_string

"""
    instances(T)

All values of an `@enum` type.
"""
instances

"""
    invoke(f, types, args...)

Calls the method of `f` for the types given, whatever the types of the arguments are.
"""
invoke

"""
    invokelatest(f, args...; kwargs...)

Calls `f` in the newest world, in which all definitions are visible.
"""
invokelatest

"""
    isa(x, T)
    x isa T

Whether `x` is of type `T`.
"""
isa

"""
    isabstracttype(T)

Whether a type was declared with `abstract type`.
"""
isabstracttype

"""
    isbits(x)

Whether the type of `x` is a plain type of bits: see `isbitstype`.
"""
isbits

"""
    isbitstype(T)

Whether values of a type are immutable and hold no references.
"""
isbitstype

"""
    isconcretetype(T)

Whether a value can have exactly this type.
"""
isconcretetype

"""
    isconst(mod, name)
    isconst(T, field)

Whether a global variable, or a field, cannot be assigned again.
"""
isconst

"""
    isdefined(mod, name)
    isdefined(x, field)

Whether a global variable, or a field, has a value.
"""
isdefined

"""
    isdefinedglobal(mod, name, imports = true, order = :unordered)

Whether a global variable has a value.
"""
isdefinedglobal

"""
    isdispatchtuple(T)

Whether a tuple type has only types that a call can have exactly.
"""
isdispatchtuple

"""
    isinteractive()

Whether this is an interactive session.
"""
isinteractive

"""
    ismutable(x)

Whether the type of `x` is mutable.
"""
ismutable

"""
    ismutabletype(T)

Whether a type was declared with `mutable struct`.
"""
ismutabletype

"""
    isprimitivetype(T)

Whether a type was declared with `primitive type`.
"""
isprimitivetype

"""
    isstructtype(T)

Whether a type was declared with `struct` or `mutable struct`.
"""
isstructtype

"""
    macroexpand(mod, ex; recursive = true)

An expression with its macros expanded.
"""
macroexpand

"""
    memoryref(m, i = 1)

A reference to an element of memory.
"""
memoryref

"""
    methods(f, [types, mod])

The methods of a function, for argument types and of a module if these are given.
"""
methods

"""
    missing

The value that stands for one that is not known.
"""
missing

"""
    modifyfield!(x, name, op, v, order = :not_atomic)

Sets a field to `op(old, v)` in one step and returns `old => new`.
"""
modifyfield!

"""
    modifyglobal!(mod, name, op, v, order = :monotonic)

Sets a global variable to `op(old, v)` in one step and returns `old => new`.
"""
modifyglobal!

"""
    modifyproperty!(x, name, op, v, order = :not_atomic)

Sets a property to `op(old, v)` in one step and returns `old => new`.
"""
modifyproperty!

"""
    nameof(x)

The name of a module, a function or a type.
"""
nameof

"""
    names(mod; all = false, imported = false)

The public names of a module.
"""
names

"""
    nfields(x)

The number of fields of a value.
"""
nfields

"""
    nothing

The value that stands for none.
"""
nothing

"""
    objectid(x)

A number that is the same for values that `===` finds equal.
"""
objectid

"""
    parentmodule(x)

The module in which a module, a type, a function or a method is defined.
"""
parentmodule

"""
    pathof(mod)

The path of the file that defines a module.
"""
pathof

"""
    pkgdir(mod, parts...)

The folder of the package of a module, or the path of `parts` below it.
"""
pkgdir

"""
    pkgversion(mod)

The version of the package of a module.
"""
pkgversion

"""
    __precompile__(isprecompilable = true)

Whether the file of a package may be precompiled. It changes nothing: kiln keeps compiled code by its content.
"""
__precompile__

"""
    precompile(f, types)

Compiles a function for argument types.
"""
precompile

"""
    promote(xs...)

The values converted to a type that all of them have in common.
"""
promote

"""
    promote_rule(T, S)

The type to which values of two types are promoted; types define methods of it.
"""
promote_rule

"""
    promote_type(types...)

The type to which values of the types given are promoted.
"""
promote_type

"""
    replacefield!(x, name, expected, v, orders...)

Sets a field if it is `expected`, and returns the old value and whether it was.
"""
replacefield!

"""
    replaceglobal!(mod, name, expected, v, orders...)

Sets a global variable if it is `expected`, and returns the old value and whether it was.
"""
replaceglobal!

"""
    replaceproperty!(x, name, expected, v, orders...)

Sets a property if it is `expected`, and returns the old value and whether it was.
"""
replaceproperty!

"""
    rethrow([e])

Throws the exception being handled again, with its trace.
"""
rethrow

"""
    setfield!(x, name, v, order = :not_atomic)

Stores a value in a field.
"""
setfield!

"""
    setfieldonce!(x, name, v, orders...)

Stores a value in a field that has none, and returns whether it did.
"""
setfieldonce!

"""
    setglobal!(mod, name, v, order = :monotonic)

Assigns to a global variable of a module.
"""
setglobal!

"""
    setglobalonce!(mod, name, v, orders...)

Assigns to a global variable that has no value, and returns whether it did.
"""
setglobalonce!

"""
    setproperty!(x, name, v)
    x.name = v

Stores a value in a property, which is a field unless a type has its own method.
"""
setproperty!

"""
    setpropertyonce!(x, name, v, orders...)

Stores a value in a property that has none, and returns whether it did.
"""
setpropertyonce!

"""
    sizeof(x)
    sizeof(T)

The bytes of a value, or of the values of a type.
"""
sizeof

"""
    supertype(T)

The supertype of a type.
"""
supertype

"""
    swapfield!(x, name, v, order = :not_atomic)

Stores a value in a field and returns the old one, in one step.
"""
swapfield!

"""
    swapglobal!(mod, name, v, order = :monotonic)

Assigns to a global variable and returns its old value, in one step.
"""
swapglobal!

"""
    swapproperty!(x, name, v, order = :not_atomic)

Stores a value in a property and returns the old one, in one step.
"""
swapproperty!

"""
    throw(e)

Throws an exception.
"""
throw

"""
    typeassert(x, T)
    x::T

`x`, or a `TypeError` if it is not of type `T`.
"""
typeassert

"""
    typeintersect(T, S)

A type that holds the values of both types.
"""
typeintersect

"""
    typejoin(types...)

The closest common supertype.
"""
typejoin

"""
    typeof(x)

The type of a value.
"""
typeof

"""
    undef

The argument that makes an array without initializing it.
"""
undef

"""
    which(f, types)

The method that a call with argument types reaches.
"""
which
