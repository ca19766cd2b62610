/* `offsets FOLDER`: reads and writes in all ways that move a position; prints "name r|w offset bytes" of each, as lseek has it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[100000];
static FILE *out;
static void say(const char *name, char what, long at, long bytes)
{
    fprintf(out, "%s %c %ld %ld\n", name, what, at, bytes);
}
/* The truth: where the kernel is after the call, less what was moved. */
static void put(int fd, const char *name, size_t size)
{
    ssize_t done = write(fd, text, size);
    say(name, 'w', lseek(fd, 0, SEEK_CUR) - done, done);
}
static void get(int fd, const char *name, size_t size)
{
    ssize_t done = read(fd, text, size);
    say(name, 'r', lseek(fd, 0, SEEK_CUR) - done, done);
}
static int make(const char *name, int flags)
{
    int fd = open(name, O_RDWR | O_CREAT | flags, 0600);
    if (fd < 0) exit(9);
    return fd;
}
static void *many(void *fd)
{
    for (int i = 1; i <= 2000; i++)
        if (write(*(int *)fd, text, (size_t)(i % 50 + 1)) < 0) exit(9);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]) != 0) return 2;
    out = stdout;
    setvbuf(stdout, NULL, _IOFBF, 1 << 20);

    int fd = make("plain", 0);
    put(fd, "plain", 1000);
    put(fd, "plain", 50);
    lseek(fd, 300, SEEK_SET);
    get(fd, "plain", 100);
    get(fd, "plain", 5000);
    get(fd, "plain", 10);

    /* What comes between is somebody else's: the end moves without us. */
    fd = make("append", O_APPEND);
    int other = make("append", 0);
    put(fd, "append", 10);
    if (pwrite(other, text, 500, 100) != 500) return 9;
    say("append", 'w', 100, 500);
    put(fd, "append", 20);
    lseek(fd, 5, SEEK_SET);
    get(fd, "append", 7);
    put(fd, "append", 30);

    /* Beyond 65 one in 16 is asked; the last of these is. */
    fd = make("diary", O_APPEND);
    for (int i = 0; i < 65 + 16 * 10; i++) put(fd, "diary", (size_t)(i % 40 + 1));
    lseek(fd, 3, SEEK_SET);
    get(fd, "diary", 9);
    close(fd);

    fd = make("duplicated", 0);
    int copy = dup(fd), third = fcntl(fd, F_DUPFD, 50);
    put(fd, "duplicated", 100);
    put(copy, "duplicated", 11);
    put(third, "duplicated", 12);
    lseek(copy, 1000, SEEK_SET);
    put(fd, "duplicated", 13);
    close(fd);
    dup2(third, fd);
    put(fd, "duplicated", 14);
    put(copy, "duplicated", 15);

    /* A child has the same position. */
    fd = make("inherited", 0);
    put(fd, "inherited", 64);
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            put(fd, "inherited", 10 + (size_t)i);
            put(fd, "inherited", 20 + (size_t)i);
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        put(fd, "inherited", 5);
        fflush(stdout);
    }

    /* The same by programs that are started: the shell writes 4 bytes. */
    fd = make("spawned", 0);
    put(fd, "spawned", 7);
    char command[100];
    snprintf(command, sizeof command, "printf abcd >&%d", fd);
    if (system(command) != 0) return 9;
    say("spawned", 'w', 7, 4);
    put(fd, "spawned", 9);

    fd = make("plain", 0);
    other = make("sent", 0);
    off_t at = 200;
    if (sendfile(other, fd, &at, 300) != 300) return 9;
    say("plain", 'r', 200, 300), say("sent", 'w', 0, 300);
    if (sendfile(other, fd, NULL, 100) != 100) return 9;
    say("plain", 'r', 0, 100), say("sent", 'w', 300, 100);
    get(fd, "plain", 10);
    put(other, "sent", 10);
    loff_t from = 50, to = 4000;
    if (copy_file_range(fd, &from, other, &to, 60, 0) != 60) return 9;
    say("plain", 'r', 50, 60), say("sent", 'w', 4000, 60);
    if (copy_file_range(fd, NULL, other, NULL, 60, 0) != 60) return 9;
    say("plain", 'r', 110, 60), say("sent", 'w', 410, 60);
    int ends[2];
    if (pipe(ends) != 0 || splice(fd, NULL, ends[1], NULL, 30, 0) != 30 || splice(ends[0], NULL, other, NULL, 30, 0) != 30) return 9;
    say("plain", 'r', 170, 30), say("sent", 'w', 470, 30);
    get(fd, "plain", 10);

    struct iovec parts[2] = {{text, 5}, {text, 6}};
    fd = make("vectors", 0);
    if (writev(fd, parts, 2) != 11) return 9;
    say("vectors", 'w', 0, 11);
    if (pwritev2(fd, parts, 2, -1, 0) != 11) return 9;
    say("vectors", 'w', 11, 11);
    if (pwritev2(fd, parts, 2, 100, 0) != 11) return 9;
    say("vectors", 'w', 100, 11);
    if (fcntl(fd, F_SETFL, O_APPEND) != 0) return 9;
    put(fd, "vectors", 4);

    FILE *stream = fopen("stream", "a+");
    fwrite(text, 1, 4096, stream), fflush(stream);
    say("stream", 'w', 0, 4096);
    fseek(stream, 0, SEEK_SET);
    if (fread(text, 1, 4096, stream) != 4096) return 9;
    say("stream", 'r', 0, 4096);
    fclose(stream);

    /* The descriptor is set to append on the way. */
    fd = make("reopened", 0);
    other = make("reopened", 0);
    put(fd, "reopened", 10);
    stream = fdopen(fd, "a");
    if (pwrite(other, text, 100, 200) != 100) return 9;
    say("reopened", 'w', 200, 100);
    fwrite(text, 1, 50, stream), fflush(stream);
    say("reopened", 'w', 300, 50);
    fclose(stream);
    fflush(stdout);

    fd = make("threads", 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, many, &fd);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    put(fd, "after-threads", 100);
    fflush(stdout);
    return 0;
}
