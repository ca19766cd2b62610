/*
 * `calls FILE`: makes every call that the recorder knows once, each with a size of its own, and prints a line
 * "name asked moved" for each, to be compared with the trace. Ends with 0 when every call did what it should.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char buffer[65536];
static int failures;

static void say(const char *name, long asked, long moved, long result)
{
    printf("%s %ld %ld\n", name, asked, moved);
    if (result != moved && !(moved == 0 && result == -1)) {
        fprintf(stderr, "%s gave %ld, not %ld\n", name, result, moved);
        failures++;
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    char second[4096];
    snprintf(second, sizeof second, "%s.2", argv[1]);
    int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    int other = open(second, O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct iovec two[2] = {{buffer, 100}, {buffer + 200, 11}};
    off_t at = 0;
    loff_t from = 0, to = 0;

    say("write", 20000, 20000, write(fd, buffer, 20000));
    say("pwrite", 1001, 1001, pwrite(fd, buffer, 1001, 0));
    say("pwrite", 1002, 1002, pwrite64(fd, buffer, 1002, 0));
    say("writev", 111, 111, writev(fd, two, 2));
    say("pwritev", 111, 111, pwritev(fd, two, 2, 0));
    say("pwritev", 111, 111, pwritev2(fd, two, 2, 0, 0));
    lseek(fd, 0, SEEK_SET);
    say("read", 1003, 1003, read(fd, buffer, 1003));
    say("pread", 1004, 1004, pread(fd, buffer, 1004, 0));
    say("pread", 1005, 1005, pread64(fd, buffer, 1005, 0));
    say("readv", 111, 111, readv(fd, two, 2));
    say("preadv", 111, 111, preadv(fd, two, 2, 0));
    say("preadv", 111, 111, preadv2(fd, two, 2, 0, 0));
    say("pread", 30000, 20111, pread(fd, buffer, 30000, 0));
    say("pread", 7, 0, pread(fd, buffer, 7, 1 << 20));

    say("read", 1006, 1006, syscall(SYS_read, fd, buffer, 1006));
    say("pwrite", 1007, 1007, syscall(SYS_pwrite64, fd, buffer, 1007, 0));
    say("sendfile", 1008, 1008, sendfile(other, fd, &at, 1008));
    say("sendfile", 1008, 1008, 1008);
    say("copy_file_range", 1009, 1009, copy_file_range(fd, &from, other, &to, 1009, 0));
    say("copy_file_range", 1009, 1009, 1009);

    /* Without a buffer, the system call is as large as the call. */
    FILE *stream = fdopen(dup(fd), "r+");
    setvbuf(stream, NULL, _IONBF, 0);
    rewind(stream);
    say("fread", 60, 60, 20 * (long)fread(buffer, 20, 3, stream));
    rewind(stream);
    say("fwrite", 63, 63, 21 * (long)fwrite(buffer, 21, 3, stream));
    fclose(stream);

    /* Other names for the same file, and the same number for another. */
    int again = dup(fd);
    say("pread", 1010, 1010, pread(again, buffer, 1010, 0));
    dup2(other, again);
    say("pwrite", 1011, 1011, pwrite(again, buffer, 1011, 0));
    close(again);
    again = open(argv[1], O_RDONLY);
    say("read", 1012, 1012, read(again, buffer, 1012));
    close(again);

    /* Failures count, and errno stays. */
    int write_only = open(second, O_WRONLY);
    errno = 0;
    say("read", 1013, 0, read(write_only, buffer, 1013));
    if (errno != EBADF) failures++, fprintf(stderr, "errno is %d\n", errno);
    errno = 0;
    say("readv", 0, 0, readv(fd, (struct iovec *)8, 2));
    if (errno != EFAULT) failures++, fprintf(stderr, "errno is %d\n", errno);
    close(write_only);
    errno = 77;
    say("pread", 1014, 1014, pread(fd, buffer, 1014, 0));
    if (errno != 77) failures++, fprintf(stderr, "errno is %d\n", errno);

    /* A file without a name keeps the one it had. */
    unlink(second);
    say("pread", 1001, 1001, pread(other, buffer, 1001, 0));

    /* None of these is an access. */
    fsync(fd);
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) failures++;
    int pipes[2];
    if (pipe(pipes) != 0 || write(pipes[1], buffer, 99) != 99 || read(pipes[0], buffer, 99) != 99) failures++;
    int null = open("/dev/null", O_WRONLY);
    if (write(null, buffer, 98) != 98) failures++;
    return failures > 0;
}
