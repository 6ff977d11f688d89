# Functions that kiln lacks, which packages extend for types of their own.

Base.@lacked bunchkaufman bunchkaufman! cond condskeel eigen! eigvals! factorize givens hermitianpart hermitianpart! hessenberg hessenberg!
Base.@lacked isposdef! kron! ldlt ldlt! lowrankdowndate lowrankdowndate! lowrankupdate lowrankupdate! lq lq! lu! nullspace ordschur ordschur!
Base.@lacked peakflops pinv qr! schur schur! svd svd! svdvals svdvals! generic_lufact! norm1 norm2 normInf norm_Inf generic_norm2 _chol! normp normMinusInf diagzero structured_broadcast_alloc fzero
