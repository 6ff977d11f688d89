# Files in memory, which kiln lacks.
module Mmap

export mmap
Base.@lacked mmap sync! madvise!

end
