/* `probe read|write|next|append|open|stat|fstat|access|lseek|fprintf|getc SIZE CALLS FILE` prints the CPU and wall nanoseconds per call. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
static double cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

static char buffer[1 << 20];
static const char *path;
static FILE *stream;

/* Number `i` of the calls; a result below 0 is a failure. */
static long call(const char *op, int fd, size_t size, long i)
{
    struct stat st;
    /* One MiB, gone through again and again, so that it stays in the cache. */
    off_t at = (i % ((1 << 20) / (long)size)) * (off_t)size;
    switch (op[0]) {
    case 'r': return pread(fd, buffer, size, at);
    case 'w': return pwrite(fd, buffer, size, at);
    case 'o': return close(open(path, O_RDONLY));
    case 's': return stat(path, &st);
    case 'a': return op[1] == 'p' ? write(fd, buffer, size) : access(path, R_OK);
    case 'n': return write(fd, buffer, size);
    case 'l': return lseek(fd, at, SEEK_SET);
    case 'g': return getc(stream) == EOF ? fseek(stream, 0, SEEK_SET) : 0;
    }
    return op[1] == 's' ? fstat(fd, &st) : fprintf(stream, "%ld lines of text\n", i);
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    const char *op = argv[1];
    size_t size = strtoul(argv[2], NULL, 10);
    long calls = strtol(argv[3], NULL, 10), done = 0;
    path = argv[4];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | (op[1] == 'p' && op[0] == 'a' ? O_APPEND : 0), 0600);
    if (fd < 0 || size == 0 || write(fd, buffer, sizeof buffer) != sizeof buffer) return 1;
    stream = op[0] == 'g' ? fopen(path, "r") : !strcmp(op, "fprintf") ? fopen("/dev/shm/plimsoll-probe", "w") : NULL;
    double cpu_before = cpu(), before = wall();
    for (long i = 0; i < calls; i++) {
        long count = call(op, fd, size, i);
        if (count < 0) return 1;
        done += count;
    }
    double after = wall(), cpu_after = cpu();
    if (!strcmp(op, "fprintf")) unlink("/dev/shm/plimsoll-probe");
    printf("%.3f %.3f %ld\n", (cpu_after - cpu_before) / calls, (after - before) / calls, done);
    return 0;
}
