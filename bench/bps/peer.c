/*
 * The same work in C: `peer bps FILE` reads a trace of 32-byte records and prints accesses, bytes, T, the sum of durations,
 * the most at once, dropped and moved bytes, duplicates, files, and the time at each concurrency. Starts and ends are sorted
 * apart: not at all when in order, by insertion while that is cheap, else by a radix sort with digits of 11 bits. It holds 16
 * bytes an access (24 when it has to sort) and has one thread. `peer least FILE` leaves out what is not needed for T and the
 * sums: files, moved bytes and duplicates. `peer full FILE` adds what the command shows beside: percentiles by file and
 * direction, T of each file, and the time of reads and writes in 600 columns; it holds 32 bytes an access.
 *
 * `peer run COMMAND...` runs a command and prints its wall time, processor time and peak memory on descriptor 3.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct record {
    uint32_t thread;
    uint8_t op, flags;
    uint16_t file;
    uint64_t bytes, start, end;
};

enum { HEADER = 4096, PIECE = 65536, BITS = 11, BUCKETS = 1 << BITS };

static int insertion(uint64_t *values, size_t n)
{
    int64_t moves = 4 * (int64_t)n;
    for (size_t i = 1; i < n; i++) {
        uint64_t value = values[i];
        if (value >= values[i - 1]) continue;
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
        moves -= (int64_t)(i - at);
        if (moves < 0) return 0;
    }
    return 1;
}

/* Values are below 2^55. Returns the sorted one of the two arrays. */
static uint64_t *sorted(uint64_t *from, uint64_t **scratch, size_t n)
{
    static size_t counts[5][BUCKETS];
    if (insertion(from, n)) return from;
    if (!*scratch && !(*scratch = malloc(n * sizeof **scratch))) exit(1);
    uint64_t *to = *scratch, most = 0;
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++) {
        uint64_t value = from[i];
        if (value > most) most = value;
        for (int d = 0; d < 5; d++) counts[d][value >> (BITS * d) & (BUCKETS - 1)]++;
    }
    for (int d = 0; d < 5 && most >> (BITS * d); d++) {
        size_t place = 0;
        for (int b = 0; b < BUCKETS; b++) {
            size_t size = counts[d][b];
            counts[d][b] = place;
            place += size;
        }
        for (size_t i = 0; i < n; i++) to[counts[d][from[i] >> (BITS * d) & (BUCKETS - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    *scratch = to;
    return from;
}

/* Sums per file and direction. */
static struct tally {
    uint64_t accesses, bytes, moved, durations;
} tallies[2 * 65536];

/* Fingerprints of accesses, or of a sample of them, chosen by start and end; see src/analyze/metric/duplicates.ts. */
struct slot {
    uint32_t a, b, key, again;
};
enum { REMEMBERED = 1 << 16, SLOTS = 4 * REMEMBERED };
static struct slot *slots;
static uint32_t threshold = UINT32_MAX, remembered;

static struct slot *find(struct slot *table, uint32_t a, uint32_t b)
{
    for (uint32_t at = a & (SLOTS - 1);; at = (at + 1) & (SLOTS - 1))
        if ((!table[at].a && !table[at].b) || (table[at].a == a && table[at].b == b)) return &table[at];
}

static uint32_t mix(uint32_t hash, uint32_t value, uint32_t by)
{
    hash = (hash ^ value) * by;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

static void remember(uint32_t key, const struct record *r)
{
    uint64_t length = r->end - r->start;
    uint32_t words[] = {(uint32_t)r->start, (uint32_t)(r->start >> 32), (uint32_t)length, (uint32_t)r->bytes};
    uint32_t a = 1, b = 2;
    for (int i = 0; i < 4; i++) {
        a = mix(a, words[i], 0x85ebca6bu);
        b = mix(b, words[i], 0xcc9e2d51u);
    }
    struct slot *slot = find(slots, a, b);
    if (slot->a || slot->b) {
        slot->again++;
        return;
    }
    *slot = (struct slot){a, b, key, 0};
    if (++remembered < REMEMBERED) return;
    threshold /= 2;
    remembered = 0;
    struct slot *kept = calloc(SLOTS, sizeof *kept);
    for (int i = 0; i < SLOTS; i++) {
        if ((!slots[i].a && !slots[i].b) || slots[i].key > threshold) continue;
        *find(kept, slots[i].a, slots[i].b) = slots[i];
        remembered++;
    }
    free(slots);
    slots = kept;
}

/* What an access moved; records of kind 253 say it of the one before. */
static uint64_t moved(const struct record *r, const struct record *next)
{
    if (r->flags & 64 || r->flags & 4) return 0;
    if (r->flags & 32 && next && next->op == 253) return next->bytes;
    return r->bytes;
}

/* What else is shown: histograms of durations, T of files, time in columns. */
enum { COLUMNS = 600, SLOTS_OF_POWER = 64 };
struct call {
    uint64_t start, end;
    uint32_t tally, bytes;
};
static struct call *calls;
static uint32_t (*histograms[2 * 65536])[64 * SLOTS_OF_POWER];
static struct { uint64_t start, end, closed; } unions[65536];
static double columns[2][COLUMNS], busy_columns[COLUMNS], access_columns[COLUMNS];

static void sketch(uint32_t tally, uint64_t duration)
{
    if (!histograms[tally] && !(histograms[tally] = calloc(1, sizeof *histograms[tally]))) exit(1);
    int power = duration < 64 ? 5 : 63 - __builtin_clzll(duration);
    (*histograms[tally])[(power - 5) * SLOTS_OF_POWER + (duration >> (power < 6 ? 0 : power - 6) & 63)]++;
}
/* Durations below such a value are this share of all. */
static uint64_t percentile(uint32_t tally, uint64_t count, double share)
{
    uint64_t before = 0, place = (uint64_t)(share * (double)count + 0.5);
    for (int i = 0; i < 64 * SLOTS_OF_POWER; i++)
        if ((before += (*histograms[tally])[i]) >= place)
            return i < SLOTS_OF_POWER ? (uint64_t)i : (uint64_t)(64 + i % 64) << (i / 64 - 1);
    return 0;
}
static void spread(double *of, double width, uint64_t from, uint64_t to, double weight)
{
    int column = (int)((double)from / width);
    for (double at = (double)from; at < (double)to && column < COLUMNS; column++) {
        double edge = (column + 1) * width < (double)to && column < COLUMNS - 1 ? (column + 1) * width : (double)to;
        of[column] += weight * (edge - at);
        at = edge;
    }
}
static void sort_calls(size_t n)
{
    static size_t counts[BUCKETS];
    int64_t moves = 4 * (int64_t)n;
    size_t i = 1;
    for (; i < n && moves >= 0; i++) {
        struct call one = calls[i];
        size_t at = i;
        for (; at > 0 && calls[at - 1].start > one.start; at--) calls[at] = calls[at - 1];
        calls[at] = one;
        moves -= (int64_t)(i - at);
    }
    if (moves >= 0) return;
    uint64_t most = 0;
    for (i = 0; i < n; i++) most = calls[i].start > most ? calls[i].start : most;
    struct call *to = malloc(n * sizeof *to), *from = calls;
    if (!to) exit(1);
    for (int shift = 0; most >> shift; shift += BITS) {
        memset(counts, 0, sizeof counts);
        for (i = 0; i < n; i++) counts[from[i].start >> shift & (BUCKETS - 1)]++;
        size_t place = 0;
        for (int b = 0; b < BUCKETS; b++) {
            size_t size = counts[b];
            counts[b] = place;
            place += size;
        }
        for (i = 0; i < n; i++) to[counts[from[i].start >> shift & (BUCKETS - 1)]++] = from[i];
        struct call *swap = from;
        from = to;
        to = swap;
    }
    calls = from;
}
static void show_more(size_t n, uint64_t first, uint64_t last)
{
    double width = (double)(last ? last : 1) / COLUMNS, sums[4] = {0};
    for (size_t i = 0; i < n; i++) {
        calls[i].start -= first;
        calls[i].end -= first;
    }
    sort_calls(n);
    for (size_t i = 0; i < n; i++) {
        const struct call *c = &calls[i];
        unsigned file = c->tally / 2;
        if (c->start > unions[file].end) {
            unions[file].closed += unions[file].end - unions[file].start;
            unions[file].start = c->start;
            unions[file].end = c->end;
        } else if (c->end > unions[file].end) unions[file].end = c->end;
        spread(columns[c->tally & 1], width, c->start, c->end, 1);
    }
    for (int i = 0; i < COLUMNS; i++) {
        sums[0] += columns[0][i] + columns[1][i];
        sums[1] += busy_columns[i];
        sums[2] += access_columns[i];
    }
    fprintf(stderr, "columns %.0f busy %.0f accesses %.0f\n", sums[0], sums[1], sums[2]);
    for (int file = 0; file < 65536; file++) {
        uint64_t of_file = unions[file].closed + unions[file].end - unions[file].start;
        for (int write = 0; write < 2; write++)
            if (histograms[2 * file + write])
                fprintf(stderr, "file %d %d: T %llu p50 %llu p95 %llu p99 %llu\n", file, write, (unsigned long long)of_file,
                        (unsigned long long)percentile(2 * file + write, tallies[2 * file + write].accesses, 0.5),
                        (unsigned long long)percentile(2 * file + write, tallies[2 * file + write].accesses, 0.95),
                        (unsigned long long)percentile(2 * file + write, tallies[2 * file + write].accesses, 0.99));
    }
}

static int bps(const char *path, int least, int full)
{
    int fd = open(path, O_RDONLY);
    struct stat info;
    if (fd < 0 || fstat(fd, &info)) return 1;
    size_t capacity = (size_t)(info.st_size - HEADER) / sizeof(struct record), n = 0;
    uint64_t *starts = malloc(capacity * 8), *ends = malloc(capacity * 8), *scratch = NULL;
    struct record *piece = malloc(PIECE * sizeof *piece);
    if (!starts || !ends || !piece) return 1;
    if (!(slots = calloc(SLOTS, sizeof *slots))) return 1;
    uint64_t bytes = 0, durations = 0, dropped = 0, first = UINT64_MAX, last = 0;
    if (full && !(calls = malloc(capacity * sizeof *calls))) return 1;
    for (off_t at = HEADER;;) {
        ssize_t got = pread(fd, piece, PIECE * sizeof *piece, at);
        if (got < (ssize_t)sizeof *piece) break;
        size_t rows = (size_t)got / sizeof *piece;
        at += (off_t)(rows * sizeof *piece);
        for (size_t i = 0; i < rows; i++) {
            const struct record *r = &piece[i];
            if (r->op == 0 || r->op > 63 || r->flags & 16) continue;
            if (r->end < r->start || (int64_t)r->bytes < 0) {
                dropped++;
                continue;
            }
            if (!least) {
                struct tally *tally = &tallies[2 * r->file + (r->flags & 1)];
                tally->moved += moved(r, i + 1 < rows ? r + 1 : NULL);
                if (r->flags & 2) continue;
                tally->accesses++;
                tally->bytes += r->bytes;
                tally->durations += r->end - r->start;
                uint32_t key = ((uint32_t)r->start ^ (uint32_t)r->end * 0x9e3779b1u) * 0x85ebca6bu;
                if (key <= threshold) remember(key, r);
            } else if (r->flags & 2) continue;
            bytes += r->bytes;
            durations += r->end - r->start;
            if (r->start < first) first = r->start;
            if (full) {
                uint32_t tally = 2u * r->file + (r->flags & 1);
                sketch(tally, r->end - r->start);
                calls[n] = (struct call){r->start, r->end, tally, (uint32_t)r->bytes};
                if (r->end > last) last = r->end;
            }
            starts[n] = r->start;
            ends[n++] = r->end;
        }
    }
    for (size_t i = 0; i < n; i++) {
        starts[i] -= first;
        ends[i] -= first;
    }
    uint64_t *s = sorted(starts, &scratch, n), *e = sorted(ends, &scratch, n);
    double width = (double)(last > first ? last - first : 1) / COLUMNS;
    size_t levels = 64, level = 0;
    uint64_t *times = calloc(levels, 8), now = 0, busy = 0;
    for (size_t i = 0, j = 0; j < n;) {
        int starting = i < n && s[i] <= e[j];
        uint64_t t = starting ? s[i++] : e[j++];
        if (t > now) {
            times[level] += t - now;
            if (full && level) {
                spread(busy_columns, width, now, t, 1);
                spread(access_columns, width, now, t, (double)level);
            }
            now = t;
        }
        if (!starting) level--;
        else if (++level == levels) {
            times = realloc(times, 2 * levels * 8);
            memset(times + levels, 0, levels * 8);
            levels *= 2;
        }
    }
    size_t most = 0;
    for (size_t l = 1; l < levels; l++) {
        busy += times[l];
        if (times[l]) most = l;
    }
    uint64_t all = 0, again = 0;
    int files = 0;
    for (int i = 0; i < 2 * 65536; i++) {
        all += tallies[i].moved;
        files += i % 2 && (tallies[i].accesses || tallies[i - 1].accesses);
    }
    for (int i = 0; i < SLOTS; i++) again += slots[i].again;
    printf("%zu %llu %llu %llu %zu %llu", n, (unsigned long long)bytes, (unsigned long long)busy,
           (unsigned long long)durations, most, (unsigned long long)dropped);
    if (!least) printf(" %llu %llu %d", (unsigned long long)all, (unsigned long long)again, files);
    printf("\n");
    for (size_t l = 1; l <= most; l++)
        if (times[l]) printf("%zu %llu\n", l, (unsigned long long)times[l]);
    if (full) show_more(n, first, last - first);
    return 0;
}

static int run(char **command)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    pid_t child = fork();
    if (child == 0) {
        close(3);
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    struct rusage use;
    if (child < 0 || wait4(child, &status, 0, &use) != child) return 1;
    clock_gettime(CLOCK_MONOTONIC, &b);
    dprintf(3, "%.6f %.6f %ld\n", (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9,
            (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6,
            use.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "bps")) return bps(argv[2], 0, 0);
    if (argc == 3 && !strcmp(argv[1], "full")) return bps(argv[2], 0, 1);
    if (argc == 3 && !strcmp(argv[1], "least")) return bps(argv[2], 1, 0);
    if (argc >= 3 && !strcmp(argv[1], "run")) return run(argv + 2);
    return 2;
}
