# The first of two packages of one name.
module Twin
which() = 1
end
