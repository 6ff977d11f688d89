// Compares two files of words of 32 bits: `compare float|int REFERENCE OUTPUT` prints the number of words, the number of those
// that differ, and the greatest difference as a part of the greatest number of the reference.
#include "data.h"
#include <math.h>

static void *words_of(const char *path, long *count) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read", path);
    fseek(file, 0, SEEK_END);
    *count = ftell(file) / 4;
    rewind(file);
    void *words = zeros(*count);
    if (fread(words, 4, *count, file) != (size_t)*count) fail("cannot read", path);
    fclose(file);
    return words;
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage", "compare float|int REFERENCE OUTPUT");
    long count, other;
    int is_float = !strcmp(argv[1], "float");
    int32_t *expected = words_of(argv[2], &count), *output = words_of(argv[3], &other);
    if (count != other) fail("the output has another size", argv[3]);
    long differ = 0;
    double greatest = 0, scale = 0;
    for (long at = 0; at < count; at++) {
        double a = is_float ? ((float *)expected)[at] : expected[at], b = is_float ? ((float *)output)[at] : output[at];
        differ += expected[at] != output[at];
        double difference = fabs(a - b);
        // A NaN is no number to compare with, and counts as wrong.
        if (!(difference <= greatest)) greatest = isnan(difference) ? INFINITY : difference;
        if (fabs(a) > scale) scale = fabs(a);
    }
    printf("%ld %ld %.9g\n", count, differ, greatest / (scale > 0 ? scale : 1));
}
