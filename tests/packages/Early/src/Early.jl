# A package that needs the state of another while its own body is evaluated.
module Early
using Initial
const seen = Initial.state[]
end
