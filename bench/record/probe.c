/* `probe read|write|fread SIZE CALLS FILE` prints the CPU and wall nanoseconds per call. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

int main(int argc, char **argv)
{
    static char buffer[1 << 20];
    if (argc != 5) return 2;
    size_t size = strtoul(argv[2], NULL, 10);
    long calls = strtol(argv[3], NULL, 10), done = 0;
    int is_write = !strcmp(argv[1], "write");
    int fd = open(argv[4], O_RDWR | O_CREAT, 0600);
    /* One MiB, gone through again and again, so that it stays in the cache. */
    const long turn = (1 << 20) / (long)size;
    if (fd < 0 || write(fd, buffer, sizeof buffer) != sizeof buffer) return 1;
    double cpu_before = cpu(), before = wall();
    for (long i = 0; i < calls; i++) {
        off_t at = (i % turn) * (off_t)size;
        ssize_t count = is_write ? pwrite(fd, buffer, size, at) : pread(fd, buffer, size, at);
        if (count < 0) return 1;
        done += count;
    }
    double after = wall(), cpu_after = cpu();
    printf("%.3f %.3f %ld\n", (cpu_after - cpu_before) / calls, (after - before) / calls, done);
    return 0;
}
