# A project without a manifest, whose dependency has a path.
module Outer
using Inner
answer() = Inner.answer()
end
