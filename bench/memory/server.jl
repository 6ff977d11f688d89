# A server: 10^6 requests (times ARGS[1] of a hundred) with dictionaries and strings; a thousand sessions live.
const SESSIONS = Dict{String, Dict{String, Any}}()
function request(i)
    user = string("user", i % 1000)
    fields = Dict{String, String}()
    for part in split(string("id=", i, "&name=", user, "&page=", i % 17), '&')
        key, value = split(part, '=')
        fields[key] = value
    end
    session = get!(() -> Dict{String, Any}(), SESSIONS, user)
    session["last"] = fields
    session["count"] = get(session, "count", 0) + 1
    answer = string("{\"user\":\"", user, "\",\"page\":", fields["page"], ",\"count\":", session["count"], "}")
    length(answer)
end
function serve(n)
    s = 0
    for i in 1:n
        s += request(i)
    end
    s
end
println(serve(10_000 * parse(Int, ARGS[1])))
