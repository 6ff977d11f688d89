# Documentation of functions that go through elements: searches, folds, sums, differences.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    accumulate(op, A; dims, init)

The running results of `op` over the elements of `A`: `accumulate(+, [1, 2, 3])` is `[1, 3, 6]`.
"""
accumulate

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
    diff(A; dims)

The differences of neighbouring elements.
"""
diff

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
    indexin(a, b)

For each element of `a` the first index of an equal one in `b`, or `nothing`.
"""
indexin

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
    reduce(op, itr; dims, init)

The elements combined by `op` in any grouping.
"""
reduce

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
    skipmissing(itr)

An iterator of the elements that are not `missing`.
"""
skipmissing

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
