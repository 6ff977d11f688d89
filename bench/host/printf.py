import io

from timed import timed


def printed(n):
    out = io.StringIO()
    for i in range(1, n + 1):
        out.write("%6d %10.4f %-8s|%5.1e\n" % (i, i / 7, "row", i * 1.5))
    text = out.getvalue()
    return f"{len(text)} {text[-34:-1]}"


timed(printed)
