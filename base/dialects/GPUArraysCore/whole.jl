# What no kernel does: on the processor the host does it, elsewhere it asks for single elements, which is refused.
Base.unique(a::AnyDialectArray) = uses_kernels() ? refuse_scalar(owner(a), :getindex) : on_device(a, unique(on_host(a)))
