# Validation of UTF-8 as an automaton over bytes: well-formed sequences as Unicode's table 3-7 lists them.

const _UTF8_DFA_ACCEPT = 0x00
const _UTF8_DFA_INVALID = 0x01
# Only ASCII so far.
const _UTF8_DFA_ASCII = 0x02
# States 3, 4 and 5 wait for one, two and three bytes 80..BF; the others first for a byte of a narrower range.
const UTF8_AFTER_E0, UTF8_AFTER_ED, UTF8_AFTER_F0, UTF8_AFTER_F4 = 0x06, 0x07, 0x08, 0x09
function utf8_dfa_step(state::UInt8, b::UInt8)
    if state === _UTF8_DFA_ACCEPT || state === _UTF8_DFA_ASCII
        b < 0x80 && return state
        b < 0xc2 && return _UTF8_DFA_INVALID
        b < 0xe0 && return 0x03
        b < 0xf0 && return b == 0xe0 ? UTF8_AFTER_E0 : b == 0xed ? UTF8_AFTER_ED : 0x04
        b < 0xf5 && return b == 0xf0 ? UTF8_AFTER_F0 : b == 0xf4 ? UTF8_AFTER_F4 : 0x05
        return _UTF8_DFA_INVALID
    end
    lo = state === UTF8_AFTER_E0 ? 0xa0 : state === UTF8_AFTER_F0 ? 0x90 : 0x80
    hi = state === UTF8_AFTER_ED ? 0x9f : state === UTF8_AFTER_F4 ? 0x8f : 0xbf
    (state === _UTF8_DFA_INVALID || !(lo <= b <= hi)) && return _UTF8_DFA_INVALID
    state === 0x03 && return _UTF8_DFA_ACCEPT
    state === 0x05 || state === UTF8_AFTER_F0 || state === UTF8_AFTER_F4 ? 0x04 : 0x03
end
function _isvalid_utf8_dfa(state::UInt8, bytes::AbstractVector{UInt8}, first::Int, last::Int)
    for i in first:last
        state = utf8_dfa_step(state, bytes[i])
    end
    state
end
