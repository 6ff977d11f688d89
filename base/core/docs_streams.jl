# Documentation of functions that read, write, print and display.
# The texts stand apart from the methods because they describe a function as a whole.

"""
    bytesavailable(io)

The number of bytes that can be read without waiting.
"""
bytesavailable

"""
    close(x)

Closes a stream, a channel or a timer.
"""
close

"""
    closewrite(io)

Ends what is written to a stream, which can still be read.
"""
closewrite

"""
    copyline(out, io; keep = false)

Copies a line of a stream to another stream or vector.
"""
copyline

"""
    copyuntil(out, io, delim; keep = false)

Copies a stream up to a delimiter to another stream or vector.
"""
copyuntil

"""
    countlines(io; eol = '\\n')

The number of lines of a stream or file.
"""
countlines

"""
    devnull

A stream that drops what is written and is empty to read.
"""
devnull

"""
    display([display,] [mime,] x)

Shows a value on the topmost display that can.
"""
display

"""
    displayable([display,] mime)

Whether a display shows values of a MIME type.
"""
displayable

"""
    displaysize([io])

The number of rows and columns of a display.
"""
displaysize

"""
    dump(x; maxdepth = 8)

Prints the structure of a value with all its fields.
"""
dump

"""
    eachline(io = stdin; keep = false)
    eachline(path)

An iterator of the lines of a stream or file.
"""
eachline

"""
    eof(io)

Whether nothing is left to read of a stream.
"""
eof

"""
    flush(io)

Hands what was written to a stream on to where it goes.
"""
flush

"""
    ismarked(io)

Whether a stream has a mark.
"""
ismarked

"""
    isopen(x)

Whether a stream, a channel or a timer was not closed.
"""
isopen

"""
    isreadonly(io)

Whether a stream can be read but not written.
"""
isreadonly

"""
    istextmime(mime)

Whether data of a MIME type is text.
"""
istextmime

"""
    mark(io)

Marks the place of a stream, to which `reset` returns.
"""
mark

"""
    open(path, mode = "r")
    open(f, args...)

Opens a file, or calls `f` with it and closes it afterwards.
"""
open

"""
    peek(io, T = UInt8)

The next value of a stream, which stays in it.
"""
peek

"""
    popdisplay([display])

Removes a display.
"""
popdisplay

"""
    position(io)

The place in a stream, in bytes.
"""
position

"""
    print([io,] xs...)

Prints values as plain text.
"""
print

"""
    println([io,] xs...)

Prints values as plain text and ends the line.
"""
println

"""
    printstyled([io,] xs...; color = :normal, bold, italic, underline, ...)

Prints values in a colour or style, if the stream shows colours.
"""
printstyled

"""
    pushdisplay(display)

Makes a display the first that `display` tries.
"""
pushdisplay

"""
    read(io, T)
    read(io, n)
    read(path, String)

Reads a value of a type, some bytes, or the whole of a stream or file.
"""
read

"""
    read!(io, A)

Fills an array from a stream.
"""
read!

"""
    readavailable(io)

The bytes of a stream that can be read without waiting.
"""
readavailable

"""
    readbytes!(io, v, n = length(v))

Reads up to `n` bytes into a vector and returns how many there were.
"""
readbytes!

"""
    readchomp(x)

The whole of a stream or file as text without a line end at its end.
"""
readchomp

"""
    readeach(io, T)

An iterator of the values of a type in a stream.
"""
readeach

"""
    readline(io = stdin; keep = false)

The next line of a stream, or the first of a file.
"""
readline

"""
    readlines(io = stdin; keep = false)

The lines of a stream or file.
"""
readlines

"""
    readuntil(io, delim; keep = false)

The text of a stream up to a delimiter.
"""
readuntil

"""
    redirect_stderr(stream)
    redirect_stderr(f, stream)

Makes `stderr` another stream, for good or while `f` runs.
"""
redirect_stderr

"""
    redirect_stdout(stream)
    redirect_stdout(f, stream)

Makes `stdout` another stream, for good or while `f` runs.
"""
redirect_stdout

"""
    redisplay([display,] x)

Updates what a display shows of a value.
"""
redisplay

"""
    repr(x; context)
    repr(mime, x; context)

The text with which `show` shows a value.
"""
repr

"""
    reset(io)

Returns a stream to its mark and removes the mark.
"""
reset

"""
    seek(io, pos)

Moves a stream to a place.
"""
seek

"""
    seekend(io)

Moves a stream to its end.
"""
seekend

"""
    seekstart(io)

Moves a stream to its start.
"""
seekstart

"""
    show([io,] x)
    show(io, mime, x)

Shows a value as it would be written in a program, or in the format of a MIME type.
"""
show

"""
    showable(mime, x)

Whether `show` has a method for a value in the format of a MIME type.
"""
showable

"""
    showerror(io, e, [backtrace])

Prints the text of an exception.
"""
showerror

"""
    skip(io, n)

Moves a stream by `n` bytes.
"""
skip

"""
    skipchars(pred, io; linecomment)

Moves a stream past the characters for which `pred` is true.
"""
skipchars

"""
    sprint(f, args...; context, sizehint = 0)

The text that `f(io, args...)` prints.
"""
sprint

"""
    stderr

The stream of the program's messages.
"""
stderr

"""
    stdin

The stream of the program's input.
"""
stdin

"""
    stdout

The stream of the program's output.
"""
stdout

"""
    summary([io,] x)

A short text about a value: its type, and the size of an array.
"""
summary

"""
    systemerror(name, failed)

Throws a `SystemError` for the number in `errno` if a call failed.
"""
systemerror

"""
    take!(channel)
    take!(buffer)

Removes the next value of a channel, waiting for one, or the content of an `IOBuffer`.
"""
take!

"""
    truncate(io, n)

Cuts a stream or file to `n` bytes.
"""
truncate

"""
    unmark(io)

Removes the mark of a stream, and returns whether there was one.
"""
unmark

"""
    unsafe_read(io, p, n)

Reads `n` bytes of a stream to an address.
"""
unsafe_read

"""
    unsafe_write(io, p, n)

Writes `n` bytes at an address to a stream.
"""
unsafe_write

"""
    write(io, x)
    write(path, x)

Writes the bytes of values to a stream or file and returns how many they are.
"""
write

"""
    pipeline(from, to, ...)
    pipeline(command; stdin, stdout, stderr, append = false)

Commands whose outputs are the inputs of the next ones, or a command whose standard streams are files, streams or buffers.
"""
pipeline

"""
    process_running(process)

Whether a process has not ended.
"""
process_running

"""
    process_exited(process)

Whether a process has ended.
"""
process_exited

"""
    kill(process, signal = SIGTERM)

Sends a signal to a process; nothing if it has ended.
"""
kill
