# Documentation of functions of arrays: making, shape, indices, elements.
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
    adjoint(A)
    A'

The conjugate transpose of a matrix, as a view.
"""
adjoint

"""
    append!(v, collections...)

Adds the elements of other collections to the end of a vector.
"""
append!

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
    deleteat!(v, i)

Removes the elements at an index or at several from a vector.
"""
deleteat!

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
    repeat(A, counts...)
    repeat(A; inner, outer)
    repeat(s, n)

The array or string repeated.
"""
repeat

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
