# Factors of diagonal matrices are diagonal; `cholesky!` leaves them in the matrix that it is given.
using LinearAlgebra, Test
D = Diagonal([4.0,9.0])
c = cholesky(D)
@test c.U == [2 0; 0 3] && c.L === c.U && c isa Cholesky{Float64, <:Diagonal}
@test D.diag == [4,9]
@test cholesky(Diagonal([1f0,2f0,-1f0,0f0]); check=false).info == 3
@test_throws PosDefException cholesky(Diagonal([1,0]))
@test cholesky!(Diagonal([4.0])).factors[1] == 2
@test cholesky(Diagonal([4, 9])).U == [2 0; 0 3]
A = [4.0 2; 2 5]; B = copy(A)
c = cholesky!(B); @test c.factors === B; @test c.L*c.U ≈ A
c = cholesky!(Hermitian(copy(A), :L), NoPivot()); @test c.L*c.U ≈ A && c.uplo == 'L'
@test collect(c.L) isa Matrix
@test det(cholesky(Diagonal([4.0,9.0]))) ≈ 36
@test cholesky(Diagonal([4.0,9.0])) \ [8.0, 27.0] ≈ [2, 3]

# Bands, of which a diagonal is one.
@test isbanded([1 2 0; 0 1 2; 0 0 1], 0, 1) && !isbanded([1 2 0; 0 1 2; 0 0 1], 0, 0) && !isbanded([1 0; 3 1], 0, 1)
@test isdiag([1 0; 0 2]) && !isdiag([1 0; 1 2]) && isdiag(transpose([1 0; 0 2]))
h = [4.0 2; 99 3]
c = cholesky!(Hermitian(h, :U))
@test h[2, 1] == 99 && c.U ≈ [2 1; 0 sqrt(2)]
m = [4.0 2; 2 3]
@test cholesky!(m).L ≈ [2 0; 1 sqrt(2)] && m[2, 1] == 2
