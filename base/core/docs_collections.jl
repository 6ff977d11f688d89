# Documentation of functions of tuples, dictionaries, sets and iterators.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    a => b

The pair of `a` and `b`.
"""
(=>)

"""
    x ∈ itr

Whether a collection has an element that is equal to `x`.
"""
(∈)

"""
    x ∉ itr

Whether a collection has no element that is equal to `x`.
"""
(∉)

"""
    itr ∋ x

Whether a collection has an element that is equal to `x`.
"""
(∋)

"""
    itr ∌ x

Whether a collection has no element that is equal to `x`.
"""
(∌)

"""
    a ∩ b

The elements that both collections have.
"""
(∩)

"""
    a ∪ b

The elements that any of two collections has.
"""
(∪)

"""
    a ⊆ b

Whether `b` has all elements of `a`.
"""
(⊆)

"""
    a ⊇ b

Whether `a` has all elements of `b`.
"""
(⊇)

"""
    a ⊈ b

Whether `a` has an element that `b` does not have.
"""
(⊈)

"""
    a ⊉ b

Whether `b` has an element that `a` does not have.
"""
(⊉)

"""
    a ⊊ b

Whether `b` has all elements of `a` and others.
"""
(⊊)

"""
    a ⊋ b

Whether `a` has all elements of `b` and others.
"""
(⊋)

"""
    accumulate!(op, B, A; dims, init)

Stores `accumulate(op, A)` in `B`.
"""
accumulate!

"""
    coalesce(xs...)

The first value that is not `missing`, or `missing`.
"""
coalesce

"""
    delete!(collection, key)

Removes a key, if it is there, and returns the collection.
"""
delete!

"""
    empty(x)

An empty collection of the same kind.
"""
empty

"""
    filter(f, collection)
    filter(f)

The elements for which `f` is true. With one argument, the function that filters by it.
"""
filter

"""
    filter!(f, collection)

Keeps only the elements for which `f` is true.
"""
filter!

"""
    get(collection, key, default)
    get(f, collection, key)

The value of a key, or a default, or the result of `f`, if there is none.
"""
get

"""
    get!(collection, key, default)
    get!(f, collection, key)

The value of a key. If there is none, a default, or the result of `f`, is stored first.
"""
get!

"""
    getkey(collection, key, default)

The key as the collection holds it, or a default.
"""
getkey

"""
    hash(x, h::UInt)

A number that is the same for values that are equal in the sense of `isequal`; `h` is mixed in.
"""
hash

"""
    haskey(collection, key)

Whether a collection has a key.
"""
haskey

"""
    hasproperty(x, name)

Whether a value has a property.
"""
hasproperty

"""
    x in itr
    x ∈ itr
    in(itr)

Whether a collection has an element that is equal to `x`.
"""
in

"""
    in!(x, set)

Whether a set has `x`, which is added if not.
"""
in!

"""
    intersect(s, itrs...)
    ∩

The elements that all collections have.
"""
intersect

"""
    intersect!(s, itrs...)

Keeps the elements that the other collections have too.
"""
intersect!

"""
    isdisjoint(a, b)

Whether two collections have no element in common.
"""
isdisjoint

"""
    isempty(collection)

Whether a collection has no elements.
"""
isempty

"""
    isequal(x, y)
    isequal(y)

Whether two values are equal as keys: `NaN`s and `missing`s equal themselves, and `0.0` differs from `-0.0`.
"""
isequal

"""
    isless(x, y)

Whether `x` comes before `y` in the order of sorting, in which `NaN` and then `missing` come last.
"""
isless

"""
    ismissing(x)

Whether `x` is `missing`.
"""
ismissing

"""
    isnothing(x)

Whether `x` is `nothing`.
"""
isnothing

"""
    issetequal(a, b)

Whether two collections have the same elements.
"""
issetequal

"""
    issubset(a, b)
    a ⊆ b

Whether `b` has all elements of `a`.
"""
issubset

"""
    iterate(itr)
    iterate(itr, state)

The first or next element and the state behind it, or `nothing` at the end. `for` calls it.
"""
iterate

"""
    keys(collection)

The keys of a dictionary, or the indices of another collection.
"""
keys

"""
    merge(a, bs...)

The entries of several dictionaries or named tuples; a later one prevails.
"""
merge

"""
    merge!(d, others...)

Adds the entries of other dictionaries to the first.
"""
merge!

"""
    mergewith(combine, a, bs...)

The entries of several dictionaries, with `combine` for values of one key.
"""
mergewith

"""
    mergewith!(combine, d, others...)

Adds the entries of other dictionaries to the first, with `combine` for values of one key.
"""
mergewith!

"""
    nonmissingtype(T)

The type without `Missing`.
"""
nonmissingtype

"""
    ntuple(f, n)

The tuple `(f(1), ..., f(n))`.
"""
ntuple

"""
    oftype(x, y)

`y` converted to the type of `x`.
"""
oftype

"""
    only(itr)

The one element of a collection; another number of elements is an `ArgumentError`.
"""
only

"""
    pairs(collection)

The entries of a collection as pairs of key and value.
"""
pairs

"""
    pop!(collection)
    pop!(d, key, default)

Removes and returns the last element, or the value of a key.
"""
pop!

"""
    propertynames(x, private = false)

The names of a value's properties.
"""
propertynames

"""
    setdiff(s, itrs...)

The elements that the other collections do not have.
"""
setdiff

"""
    setdiff!(s, itrs...)

Removes the elements that the other collections have.
"""
setdiff!

"""
    something(xs...)

The first value that is not `nothing`, out of its `Some`.
"""
something

"""
    symdiff(s, itrs...)

The elements that an odd number of the collections have.
"""
symdiff

"""
    symdiff!(s, itrs...)

Makes a set hold the elements that an odd number of the collections have.
"""
symdiff!

"""
    tuple(xs...)

The tuple of the arguments.
"""
tuple

"""
    union(s, itrs...)
    ∪

The elements that any of the collections has.
"""
union

"""
    union!(s, itrs...)

Adds the elements of other collections.
"""
union!

"""
    values(collection)

The values of a dictionary or another collection.
"""
values
