# A package in a depot, under the slug of its version.
module Stored
place() = @__DIR__
end
