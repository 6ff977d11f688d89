# Documentation of functions of characters and strings.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    ascii(s)

The string as a `String`, or an `ArgumentError` if it has characters outside of ASCII.
"""
ascii

"""
    bytes2hex(bytes)
    bytes2hex(io, bytes)

The hexadecimal digits of bytes.
"""
bytes2hex

"""
    chomp(s)

The string without a line end at its end.
"""
chomp

"""
    chop(s; head = 0, tail = 1)

The string without its first `head` and last `tail` characters.
"""
chop

"""
    chopprefix(s, prefix)

The string without a prefix, a text or a `Regex`, if it has it.
"""
chopprefix

"""
    chopsuffix(s, suffix)

The string without a suffix, a text or a `Regex`, if it has it.
"""
chopsuffix

"""
    codepoint(c)

The code point of a character as an unsigned integer.
"""
codepoint

"""
    codeunit(s)
    codeunit(s, i)

The type of a string's code units, or the code unit at index `i`.
"""
codeunit

"""
    codeunits(s)

The code units of a string as a vector.
"""
codeunits

"""
    contains(haystack, needle)
    contains(needle)

Whether a string has a part that is, or matches, `needle`. With one argument, the function that asks for it.
"""
contains

"""
    ctruncate(s, n, replacement = '…')

The string cut in its middle to a width of at most `n`.
"""
ctruncate

"""
    eachmatch(regex, s; overlap = false)

An iterator of the matches of a regular expression.
"""
eachmatch

"""
    eachrsplit(s, delim; limit = 0, keepempty = true)

An iterator of the parts of a string between delimiters, from the end.
"""
eachrsplit

"""
    eachsplit(s, delim; limit = 0, keepempty = true)

An iterator of the parts of a string between delimiters.
"""
eachsplit

"""
    endswith(s, suffix)
    endswith(suffix)

Whether a string ends with a text, one of several characters, or a match of a `Regex`.
"""
endswith

"""
    escape_string(s, esc = (), keep = ())

The string with escapes for what does not print.
"""
escape_string

"""
    hex2bytes(digits)

The bytes that hexadecimal digits stand for.
"""
hex2bytes

"""
    hex2bytes!(dest, digits)

Stores the bytes that hexadecimal digits stand for in `dest`.
"""
hex2bytes!

"""
    isascii(c)

Whether a character, or all of a string, belong to ASCII.
"""
isascii

"""
    iscntrl(c)

Whether a character is a control character.
"""
iscntrl

"""
    isdigit(c)

Whether a character is a decimal digit of ASCII.
"""
isdigit

"""
    isletter(c)

Whether a character is a letter.
"""
isletter

"""
    islowercase(c)

Whether a character is a lowercase letter.
"""
islowercase

"""
    isnumeric(c)

Whether a character is a number of any script.
"""
isnumeric

"""
    isprint(c)

Whether a character prints, spaces included.
"""
isprint

"""
    ispunct(c)

Whether a character is punctuation.
"""
ispunct

"""
    isspace(c)

Whether a character is white space.
"""
isspace

"""
    isuppercase(c)

Whether a character is an uppercase or titlecase letter.
"""
isuppercase

"""
    isvalid(x)
    isvalid(T, x)
    isvalid(s, i)

Whether a character or a string is valid, or whether a character starts at index `i` of a string.
"""
isvalid

"""
    isxdigit(c)

Whether a character is a hexadecimal digit of ASCII.
"""
isxdigit

"""
    join([io,] itr, delim = "", last = delim)

The elements printed one after the other with delimiters between them.
"""
join

"""
    lowercase(s)

The string or character in lower case.
"""
lowercase

"""
    lowercasefirst(s)

The string with its first character in lower case.
"""
lowercasefirst

"""
    lpad(s, n, p = ' ')

The string with `p` in front of it, as often as makes it `n` wide.
"""
lpad

"""
    lstrip([pred = isspace,] s)
    lstrip(s, chars)

The string without white space, or other characters, at its start.
"""
lstrip

"""
    ltruncate(s, n, replacement = '…')

The string cut at its start to a width of at most `n`.
"""
ltruncate

"""
    match(regex, s, i = firstindex(s))

The first match of a regular expression at or after `i`, or `nothing`.
"""
match

"""
    ncodeunits(s)

The number of code units of a string or character.
"""
ncodeunits

"""
    nextind(s, i, n = 1)

The index of the character after the one at `i`, or of the `n`th after it.
"""
nextind

"""
    occursin(needle, haystack)
    occursin(haystack)

Whether a string has a part that is, or matches, `needle`. With one argument, the function that asks of it.
"""
occursin

"""
    prevind(s, i, n = 1)

The index of the character before the one at `i`, or of the `n`th before it.
"""
prevind

"""
    reverseind(s, i)

The index in a string of the character at `i` of its reverse.
"""
reverseind

"""
    rpad(s, n, p = ' ')

The string with `p` behind it, as often as makes it `n` wide.
"""
rpad

"""
    rsplit(s, delim; limit = 0, keepempty = true)

The parts of a string between delimiters; a limit counts from the end.
"""
rsplit

"""
    rstrip([pred = isspace,] s)
    rstrip(s, chars)

The string without white space, or other characters, at its end.
"""
rstrip

"""
    rtruncate(s, n, replacement = '…')

The string cut at its end to a width of at most `n`.
"""
rtruncate

"""
    split(s, delim; limit = 0, keepempty = true)

The parts of a string between delimiters; without one, between white space.
"""
split

"""
    startswith(s, prefix)
    startswith(prefix)

Whether a string starts with a text, one of several characters, or a match of a `Regex`.
"""
startswith

"""
    string(xs...)
    string(n; base = 10, pad = 1)

The values printed one after the other as a string, or the digits of an integer.
"""
string

"""
    strip([pred = isspace,] s)
    strip(s, chars)

The string without white space, or other characters, at its ends.
"""
strip

"""
    textwidth(s)

The number of columns that a text takes.
"""
textwidth

"""
    thisind(s, i)

The index at which the character begins that has the byte at `i`.
"""
thisind

"""
    titlecase(s; wordsep, strict = true)

The string with the first letter of each word in upper case.
"""
titlecase

"""
    transcode(T, s)

A string as code units of UTF-8, UTF-16 or UTF-32, or such units as a string.
"""
transcode

"""
    tryparse(T, s; base)

The number of type `T` that a string stands for, or `nothing`.
"""
tryparse

"""
    unescape_string(s, keep = ())

The string with the characters that its escapes stand for.
"""
unescape_string

"""
    unsafe_string(p, n)

A copy of `n` bytes at an address as a string, or of those before a zero byte.
"""
unsafe_string

"""
    uppercase(s)

The string or character in upper case.
"""
uppercase

"""
    uppercasefirst(s)

The string with its first character in title case.
"""
uppercasefirst
