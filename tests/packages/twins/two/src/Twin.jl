# The second of two packages of one name.
module Twin
which() = 2
end
