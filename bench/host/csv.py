from timed import timed


def table(n, path):
    rows, ints, floats, letters = 0, 0, 0.0, 0
    with open(path) as file:
        text = file.read()
    for line in text.split("\n"):
        if not line:
            continue
        fields = line.split(",")
        rows += 1
        ints += int(fields[0])
        floats += float(fields[1])
        letters += len(fields[2])
    return f"{rows} {ints} {round(floats * 1000)} {letters}"


timed(table)
