# The type of what is thrown is inferred, and a `catch` that always returns leaves none.
thrower(x) = x > 0 ? x : throw(DomainError(x))
caught(x) = try thrower(x) catch; 0 end

#: infer 'thrower(Int64)'
#: check: throws DomainError
#: infer 'caught(Int64)'
#: check: throws Union{}
