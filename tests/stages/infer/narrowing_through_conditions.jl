# A condition that is kept in a variable still narrows what it tested.
function kept(x)
    is_int = x isa Int
    is_int ? x : 0
end

#: infer 'kept(Any)'
#: check: returns Int64
