# Documentation of functions of arrays: shape, indices, elements, reductions, order.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    A'

The adjoint of `A`: the operator of `adjoint`.
"""
var"'"

"""
    start:stop
    start:step:stop

The range from `start` to `stop`. As an index alone, `:` selects all of a dimension.
"""
(:)

"""
    accumulate(op, A; dims, init)

The running results of `op` over the elements of `A`: `accumulate(+, [1, 2, 3])` is `[1, 3, 6]`.
"""
accumulate

"""
    adjoint(A)
    A'

The conjugate transpose of a matrix, as a view.
"""
adjoint

"""
    all(itr)
    all(f, itr)
    all(A; dims)

Whether all elements, or all results of `f`, are true. It stops at the first that is false.
"""
all

"""
    all!(r, A)

Stores in `r` whether all elements of `A` along its dimensions of length one are true.
"""
all!

"""
    allequal(itr)
    allequal(f, itr)

Whether all elements, or all results of `f`, are equal in the sense of `isequal`.
"""
allequal

"""
    allunique(itr)
    allunique(f, itr)

Whether no two elements, or no two results of `f`, are equal in the sense of `isequal`.
"""
allunique

"""
    any(itr)
    any(f, itr)
    any(A; dims)

Whether any element, or any result of `f`, is true. It stops at the first that is.
"""
any

"""
    any!(r, A)

Stores in `r` whether any element of `A` along its dimensions of length one is true.
"""
any!

"""
    append!(v, collections...)

Adds the elements of other collections to the end of a vector.
"""
append!

"""
    argmax(itr)
    argmax(f, domain)
    argmax(A; dims)

The index of the greatest element, or the element of a domain for which `f` is greatest; the first of several.
"""
argmax

"""
    argmin(itr)
    argmin(f, domain)
    argmin(A; dims)

The index of the least element, or the element of a domain for which `f` is least; the first of several.
"""
argmin

"""
    axes(A)
    axes(A, d)

The ranges of indices of an array, or that of dimension `d`.
"""
axes

"""
    cat(As...; dims)

The arrays one after the other along one or more dimensions.
"""
cat

"""
    checkbounds(A, inds...)
    checkbounds(Bool, A, inds...)

Throws a `BoundsError` if the indices are not all in bounds, or says whether they are.
"""
checkbounds

"""
    checkindex(Bool, inds, index)

Whether an index, or all of several, lie in a range of indices.
"""
checkindex

"""
    circcopy!(dest, src)

Copies an array into one with other axes, with indices taken modulo the lengths.
"""
circcopy!

"""
    circshift(A, shifts)

The array with its elements moved along its dimensions; what leaves at one end comes in at the other.
"""
circshift

"""
    circshift!(A, shift)
    circshift!(dest, src, shifts)

Moves the elements of a vector in a circle, or stores `circshift(src, shifts)` in `dest`.
"""
circshift!

"""
    clamp!(A, lo, hi)

Clamps the elements of an array in place.
"""
clamp!

"""
    collect(itr)
    collect(T, itr)

An array of the elements of an iterator, with elements of type `T` if that is given.
"""
collect

"""
    conj!(A)

Conjugates the elements of an array in place.
"""
conj!

"""
    copy(x)

A copy of a collection whose elements are the same objects.
"""
copy

"""
    copy!(dst, src)

Makes `dst` hold what `src` holds.
"""
copy!

"""
    copyto!(dest, src)
    copyto!(dest, dstart, src, sstart, n)

Copies elements to the start, or another place, of an array.
"""
copyto!

"""
    count(itr)
    count(f, itr; dims, init = 0)
    count(pattern, s; overlap = false)

The number of true elements or results of `f`, or of matches in a string.
"""
count

"""
    count!(r, A)
    count!(f, r, A)

Stores in `r` the number of true elements of `A` along its dimensions of length one.
"""
count!

"""
    cumprod(A; dims)

The running products of the elements.
"""
cumprod

"""
    cumprod!(B, A; dims)

Stores the running products of `A` in `B`.
"""
cumprod!

"""
    cumsum(A; dims)

The running sums of the elements.
"""
cumsum

"""
    cumsum!(B, A; dims)

Stores the running sums of `A` in `B`.
"""
cumsum!

"""
    deleteat!(v, i)

Removes the elements at an index or at several from a vector.
"""
deleteat!

"""
    diff(A; dims)

The differences of neighbouring elements.
"""
diff

"""
    dropdims(A; dims)

The array without dimensions of length one.
"""
dropdims

"""
    eachcol(A)

The columns of a matrix as views.
"""
eachcol

"""
    eachindex(As...)

The indices of arrays in the order that is quickest. Arrays of different axes are an error.
"""
eachindex

"""
    eachrow(A)

The rows of a matrix as views.
"""
eachrow

"""
    eachslice(A; dims, drop = true)

The slices of an array at each index of some dimensions, as views.
"""
eachslice

"""
    eltype(x)

The type of a collection's elements.
"""
eltype

"""
    empty!(collection)

Removes all elements of a collection.
"""
empty!

"""
    extrema(itr; init)
    extrema(f, itr; init)
    extrema(A; dims)

The least and the greatest element, or result of `f`.
"""
extrema

"""
    extrema!(r, A)

Stores in `r` the least and greatest elements of `A` along its dimensions of length one.
"""
extrema!

"""
    falses(dims)

A `BitArray` of `false`.
"""
falses

"""
    fill(value, dims)

An array of which each element is `value`.
"""
fill

"""
    fill!(A, value)

Stores a value in all elements of an array.
"""
fill!

"""
    findall(f, A)
    findall(A)
    findall(pattern, s)

The indices at which `f`, or the element itself, is true, or the places of all matches in a string.
"""
findall

"""
    findfirst(f, A)
    findfirst(A)
    findfirst(pattern, s)

The first index at which `f`, or the element itself, is true, or the place of the first match; `nothing` if there is
none.
"""
findfirst

"""
    findlast(f, A)
    findlast(A)
    findlast(pattern, s)

The last index at which `f`, or the element itself, is true, or the place of the last match; `nothing` if there is
none.
"""
findlast

"""
    findmax(itr)
    findmax(f, domain)
    findmax(A; dims)

The greatest element, or result of `f`, and its index.
"""
findmax

"""
    findmax!(r, inds, A)

Stores the greatest elements of `A` along some dimensions in `r`, and their indices in `inds`.
"""
findmax!

"""
    findmin(itr)
    findmin(f, domain)
    findmin(A; dims)

The least element, or result of `f`, and its index.
"""
findmin

"""
    findmin!(r, inds, A)

Stores the least elements of `A` along some dimensions in `r`, and their indices in `inds`.
"""
findmin!

"""
    findnext(f, A, i)
    findnext(pattern, s, i)

The first place at or after `i` at which `f` is true or the pattern matches; `nothing` if there is none.
"""
findnext

"""
    findprev(f, A, i)
    findprev(pattern, s, i)

The last place at or before `i` at which `f` is true or the pattern matches; `nothing` if there is none.
"""
findprev

"""
    first(itr)
    first(itr, n)

The first element, or the first `n`.
"""
first

"""
    firstindex(A)
    firstindex(A, d)

The first index, or that of dimension `d`.
"""
firstindex

"""
    foldl(op, itr; init)

The elements combined by `op` from the left.
"""
foldl

"""
    foldr(op, itr; init)

The elements combined by `op` from the right.
"""
foldr

"""
    foreach(f, itrs...)

Calls `f` for each element and drops the results.
"""
foreach

"""
    getindex(A, inds...)
    A[inds...]

The elements at indices, or the value of a key. `T[xs...]` makes a vector.
"""
getindex

"""
    hcat(As...)
    [a b c]

The arrays side by side.
"""
hcat

"""
    hvcat(blocks_per_row, As...)
    [a b; c d]

The arrays in rows and columns.
"""
hvcat

"""
    hvncat(dims, row_first, As...)
    [a b;
    c d]

The arrays along several dimensions.
"""
hvncat

"""
    indexin(a, b)

For each element of `a` the first index of an equal one in `b`, or `nothing`.
"""
indexin

"""
    insert!(v, i, x)

Inserts an element at an index of a vector.
"""
insert!

"""
    insertdims(A; dims)

The array with additional dimensions of length one.
"""
insertdims

"""
    invperm(p)

The inverse of a permutation.
"""
invperm

"""
    invpermute!(v, p)

Moves the elements of a vector to the places that a permutation gives them.
"""
invpermute!

"""
    isassigned(A, i...)

Whether an array has an element at an index, and it was assigned.
"""
isassigned

"""
    isperm(v)

Whether a vector is a permutation of its indices.
"""
isperm

"""
    keepat!(v, inds)

Keeps only the elements of a vector at the indices given.
"""
keepat!

"""
    keytype(x)

The type of a collection's keys.
"""
keytype

"""
    last(itr)
    last(itr, n)

The last element, or the last `n`.
"""
last

"""
    lastindex(A)
    lastindex(A, d)

The last index, or that of dimension `d`.
"""
lastindex

"""
    length(collection)

The number of elements.
"""
length

"""
    map(f, collections...)

The results of `f` for each element, in a collection of the same kind.
"""
map

"""
    map!(f, dest, collections...)

Stores the results of `map` in `dest`.
"""
map!

"""
    mapfoldl(f, op, itr; init)

The results of `f` combined by `op` from the left.
"""
mapfoldl

"""
    mapfoldr(f, op, itr; init)

The results of `f` combined by `op` from the right.
"""
mapfoldr

"""
    mapreduce(f, op, itrs...; dims, init)

The results of `f` combined by `op` in any grouping.
"""
mapreduce

"""
    mapslices(f, A; dims)

The results of `f` for the slices of an array along some dimensions, put together again.
"""
mapslices

"""
    maximum(itr; init)
    maximum(f, itr; init)
    maximum(A; dims)

The greatest element, or result of `f`.
"""
maximum

"""
    maximum!(r, A)

Stores in `r` the greatest elements of `A` along its dimensions of length one.
"""
maximum!

"""
    minimum(itr; init)
    minimum(f, itr; init)
    minimum(A; dims)

The least element, or result of `f`.
"""
minimum

"""
    minimum!(r, A)

Stores in `r` the least elements of `A` along its dimensions of length one.
"""
minimum!

"""
    ndims(A)

The number of dimensions.
"""
ndims

"""
    ones([T,] dims)

An array of ones.
"""
ones

"""
    parent(A)

The array that a view or another wrapper stands for.
"""
parent

"""
    parentindices(A)

The indices of a view in its parent.
"""
parentindices

"""
    permute!(v, p)

Puts the elements of a vector in the order of a permutation.
"""
permute!

"""
    permutedims(A, perm)

A copy of an array with its dimensions in another order.
"""
permutedims

"""
    permutedims!(dest, src, perm)

Stores `permutedims(src, perm)` in `dest`.
"""
permutedims!

"""
    pointer(A, i = 1)

The address of an element.
"""
pointer

"""
    pointer_from_objref(x)

The address of a mutable object.
"""
pointer_from_objref

"""
    popat!(v, i, default)

Removes and returns the element at an index.
"""
popat!

"""
    popfirst!(v)

Removes and returns the first element.
"""
popfirst!

"""
    prepend!(v, collections...)

Adds the elements of other collections to the front of a vector.
"""
prepend!

"""
    prod(itr; init)
    prod(f, itr; init)
    prod(A; dims)

The product of the elements, or of the results of `f`.
"""
prod

"""
    prod!(r, A)

Stores in `r` the products of `A` along its dimensions of length one.
"""
prod!

"""
    promote_shape(a, b)

The shape that two arrays have in common for their sum.
"""
promote_shape

"""
    push!(collection, xs...)

Adds elements to the end of a vector, or to another collection.
"""
push!

"""
    pushfirst!(v, xs...)

Adds elements to the front of a vector.
"""
pushfirst!

"""
    range(start, stop; length, step)

A range, by three of start, stop, length and step.
"""
range

"""
    reduce(op, itr; dims, init)

The elements combined by `op` in any grouping.
"""
reduce

"""
    repeat(A, counts...)
    repeat(A; inner, outer)
    repeat(s, n)

The array or string repeated.
"""
repeat

"""
    replace(collection, old => new, ...; count)
    replace(f, collection; count)

A copy with values, or the matches in a string, replaced.
"""
replace

"""
    replace!(collection, old => new, ...; count)
    replace!(f, collection; count)

Replaces values of a collection in place.
"""
replace!

"""
    reshape(A, dims...)

The elements of an array in another shape. One dimension may be `:`, which is then computed.
"""
reshape

"""
    resize!(v, n)

Changes the length of a vector. New elements are not initialized.
"""
resize!

"""
    reverse(v)
    reverse(A; dims)
    reverse(s)

A copy in the opposite order.
"""
reverse

"""
    reverse!(v)
    reverse!(A; dims)

Puts the elements in the opposite order.
"""
reverse!

"""
    rot180(A, k = 1)

The matrix turned by half a turn.
"""
rot180

"""
    rotl90(A, k = 1)

The matrix turned left by a quarter turn, `k` times.
"""
rotl90

"""
    rotr90(A, k = 1)

The matrix turned right by a quarter turn, `k` times.
"""
rotr90

"""
    selectdim(A, d, i)

A view of the elements whose index along dimension `d` is `i`.
"""
selectdim

"""
    setindex!(A, x, inds...)
    A[inds...] = x

Stores a value at an index or a key, or the values of an array at several.
"""
setindex!

"""
    similar(A, [T, dims...])

A new array that is not initialized, like `A` unless type or shape are given.
"""
similar

"""
    size(A)
    size(A, d)

The lengths of an array's dimensions, or that of dimension `d`.
"""
size

"""
    sizehint!(v, n)

Reserves room for `n` elements.
"""
sizehint!

"""
    skipmissing(itr)

An iterator of the elements that are not `missing`.
"""
skipmissing

"""
    sortslices(A; dims, ...)

The slices of an array along a dimension in order.
"""
sortslices

"""
    splice!(v, inds, [replacement])

Removes elements of a vector, puts others in their place, and returns the removed ones.
"""
splice!

"""
    stack(itr; dims)
    stack(f, itrs...; dims)

Arrays of one shape as one array with one more dimension for each of the iterator's.
"""
stack

"""
    step(r)

The step of a range.
"""
step

"""
    stride(A, d)

The distance in memory between neighbours along dimension `d`, in elements.
"""
stride

"""
    strides(A)

The distances in memory between neighbours along all dimensions, in elements.
"""
strides

"""
    sum(itr; init)
    sum(f, itr; init)
    sum(A; dims)

The sum of the elements, or of the results of `f`.
"""
sum

"""
    sum!(r, A)

Stores in `r` the sums of `A` along its dimensions of length one.
"""
sum!

"""
    to_indices(A, inds)

The indices with which an array is read, as integers and arrays of them.
"""
to_indices

"""
    transpose(A)

The transpose of a matrix, as a view.
"""
transpose

"""
    trues(dims)

A `BitArray` of `true`.
"""
trues

"""
    unique(itr)
    unique(f, itr)
    unique(A; dims)

The elements, or slices, without those equal to an earlier one, or to its result of `f`.
"""
unique

"""
    unique!(v)
    unique!(f, v)

Removes the elements that are equal to an earlier one.
"""
unique!

"""
    unsafe_copyto!(dest, doffs, src, soffs, n)

Copies `n` elements without any check.
"""
unsafe_copyto!

"""
    unsafe_load(p, i = 1)

The value at an address, unchecked.
"""
unsafe_load

"""
    unsafe_modify!(p, op, v, order)

Sets the value at an address to `op(old, v)` in one step and returns `old => new`.
"""
unsafe_modify!

"""
    unsafe_pointer_to_objref(p)

The object at an address.
"""
unsafe_pointer_to_objref

"""
    unsafe_replace!(p, expected, v, orders...)

Stores a value at an address if `expected` is there, and returns the old value and whether it was.
"""
unsafe_replace!

"""
    unsafe_store!(p, x, i = 1)

Stores a value at an address, unchecked.
"""
unsafe_store!

"""
    unsafe_swap!(p, v, order)

Stores a value at an address and returns the old one, in one step.
"""
unsafe_swap!

"""
    unsafe_wrap(Array, p, dims; own = false)

An array on memory at an address.
"""
unsafe_wrap

"""
    valtype(x)

The type of a collection's values.
"""
valtype

"""
    vcat(As...)
    [a; b; c]

The arrays one below the other.
"""
vcat

"""
    vec(A)

The elements of an array as a vector that shares its memory.
"""
vec

"""
    view(A, inds...)

A view of elements of an array: it reads and writes the array's own memory.
"""
view

"""
    zeros([T,] dims)

An array of zeros.
"""
zeros
