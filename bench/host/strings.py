import io

from timed import timed


def built(n):
    out = io.StringIO()
    for i in range(1, n + 1):
        out.write(f"part {i}, ")
    text = out.getvalue()
    return f"{len(text)} {text.count('9')} {text[-21:]}"


timed(built)
