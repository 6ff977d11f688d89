# What kiln knows of this dialect: see `Base.Device.register_dialect`.
Device.register_dialect((;
    home = KernelAbstractions,
    is_portable = true,
    printing = "`@print` of KernelAbstractions",
    printing_parts = "`@print` of KernelAbstractions",
    item_memory = "`@private T dims`",
    group_memory = "`@localmem T dims`",
    group_size = "`@groupsize()` is such a constant if the kernel is made with its group size, `kernel!(backend, 64)`",
    rows = :KA,
    entry_prefix = "gpu_",
    launch_types = space -> (context_type((), space),)))
