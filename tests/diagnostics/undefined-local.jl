# The name that was meant is looked for among the variables of the method first.
function scaled(alpha)
    return 2alhpa
end
scaled(1)
