/*
 * The same in C: `peer radix|qsort ROUNDS FILE` prints the seconds of each round and the length of the union. FILE
 * holds start, end, start, end, ... as doubles; starts are not negative. Copies are in the time, as in variants.ts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct pair {
    double start, end;
};

static int by_start(const void *a, const void *b)
{
    double x = ((const struct pair *)a)->start, y = ((const struct pair *)b)->start;
    return (x > y) - (x < y);
}

/* Least significant digit first, eight bits; constant digits are skipped. Returns the sorted one of the two. */
static struct pair *radix(struct pair *from, struct pair *to, size_t n)
{
    static size_t counts[8][256];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++) {
        uint64_t key;
        memcpy(&key, &from[i].start, 8);
        for (int d = 0; d < 8; d++) counts[d][key >> (8 * d) & 255]++;
    }
    for (int d = 0; d < 8; d++) {
        size_t place = 0;
        int constant = 0;
        for (int b = 0; b < 256; b++) {
            size_t size = counts[d][b];
            constant |= size == n;
            counts[d][b] = place;
            place += size;
        }
        if (constant) continue;
        for (size_t i = 0; i < n; i++) {
            uint64_t key;
            memcpy(&key, &from[i].start, 8);
            to[counts[d][key >> (8 * d) & 255]++] = from[i];
        }
        struct pair *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static double sweep(const struct pair *pairs, size_t n)
{
    double total = 0, start = pairs[0].start, end = pairs[0].end;
    for (size_t i = 1; i < n; i++) {
        if (end < pairs[i].start) {
            total += end - start;
            start = pairs[i].start;
            end = pairs[i].end;
        } else if (pairs[i].end > end) {
            end = pairs[i].end;
        }
    }
    return total + end - start;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    int rounds = atoi(argv[2]);
    FILE *file = fopen(argv[3], "rb");
    if (!file || fseek(file, 0, SEEK_END)) return 1;
    size_t n = (size_t)ftell(file) / sizeof(struct pair);
    struct pair *input = malloc(n * sizeof *input);
    rewind(file);
    if (n == 0 || !input || fread(input, sizeof *input, n, file) != n) return 1;
    double length = 0;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        struct pair *copy = malloc(n * sizeof *copy), *scratch = NULL, *sorted = copy;
        if (!copy) return 1;
        memcpy(copy, input, n * sizeof *copy);
        if (!strcmp(argv[1], "radix")) {
            scratch = malloc(n * sizeof *scratch);
            if (!scratch) return 1;
            sorted = radix(copy, scratch, n);
        } else {
            qsort(copy, n, sizeof *copy, by_start);
        }
        length = sweep(sorted, n);
        free(copy);
        free(scratch);
        printf("%.9f\n", now() - start);
    }
    printf("length %.3f\n", length);
    return 0;
}
