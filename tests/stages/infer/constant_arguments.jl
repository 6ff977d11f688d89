# A call with constants is inferred for them: the branch not taken is no part of the result.
pick(flag, x) = flag ? x : string(x)
taken(x) = pick(true, x)

#: infer 'taken(Int64)'
