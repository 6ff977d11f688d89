include("timed.jl")
function sieve(n)
    is_prime = trues(n + 1)
    i = 2
    while i * i <= n
        if is_prime[i + 1]
            for k in (i * i):i:n
                is_prime[k + 1] = false
            end
        end
        i += 1
    end
    count(is_prime) - 2
end
timed(sieve)
