from timed import timed


def lines(n, path):
    count, size, commas = 0, 0, 0
    with open(path) as file:
        for line in file:
            line = line.rstrip("\n")
            count += 1
            size += len(line)
            commas += line.endswith("7")
    return f"{count} {size} {commas}"


timed(lines)
