/* `unseen WAY FILE`: uses FILE in one way that the recorder sees or does not see, named in test/record-unseen.test.ts. */
#define _GNU_SOURCE
#include <aio.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char text[10000];

/* As programs with io_uring of their own do: no function of a library is called. */
static int make_ring(void)
{
    struct io_uring_params parameters = {0};
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_io_uring_setup), "D"(4), "S"(&parameters) : "rcx", "r11", "memory");
#else
    long result = syscall(SYS_io_uring_setup, 4, &parameters);
#endif
    /* Not every machine allows it. */
    if (result < 0) return 77;
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (int)result, IORING_OFF_SQ_RING) == MAP_FAILED;
}

int main(int argc, char **argv)
{
    const char *way = argv[1], *path = argv[2];
    /* Formatting that the compiler cannot turn into fwrite. */
    int number = argc + 40;
    if (!strcmp(way, "io_uring")) return make_ring();
    if (!strcmp(way, "stdout")) return printf("%d\n", number) < 0;
    if (!strcmp(way, "libaio")) {
        unsigned long ring = 0;
        int fd = open(path, O_RDWR);
        struct io_event events[2];
        struct iocb one = {.aio_fildes = fd, .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_buf = (uintptr_t)text, .aio_nbytes = 1000};
        struct iocb two = {.aio_fildes = fd, .aio_lio_opcode = IOCB_CMD_PREAD, .aio_buf = (uintptr_t)text, .aio_nbytes = 500};
        struct iocb broken = {.aio_fildes = -1, .aio_lio_opcode = IOCB_CMD_PREAD};
        struct iocb *list[] = {&one, &two, &broken};
        if (syscall(SYS_io_setup, 4, &ring) != 0) return 77;
        /* The last one is not taken. */
        if (syscall(SYS_io_submit, ring, 3, list) != 2) return 9;
        return syscall(SYS_io_getevents, ring, 2, 2, events, NULL) == 2 ? 0 : 9;
    }
    if (!strcmp(way, "lio_listio")) {
        struct aiocb one = {.aio_fildes = open(path, O_RDWR), .aio_lio_opcode = LIO_READ, .aio_buf = text, .aio_nbytes = 10};
        struct aiocb *const list[] = {&one};
        return lio_listio(LIO_WAIT, list, 1, NULL);
    }
    int writes = strcmp(way, "fgets") && strcmp(way, "two-passes") && strcmp(way, "fread") && strcmp(way, "size");
    FILE *stream = fopen(path, !strncmp(way, "append", 6) ? "a" : writes ? "w" : "r");
    if (!stream) return 9;
    if (!strcmp(way, "fprintf")) {
        fprintf(stream, "%d\n", number);
    } else if (!strcmp(way, "not-closed")) {
        fprintf(stream, "%d\n", number);
        return 0;
    } else if (!strcmp(way, "fwrite-fprintf") || !strcmp(way, "append-fprintf")) {
        fwrite("header\n", 1, 7, stream);
        fprintf(stream, "%d\n", number);
    } else if (!strcmp(way, "fgets")) {
        if (!fgets(text, sizeof text, stream)) return 9;
    } else if (!strcmp(way, "two-passes")) {
        while (fgets(text, 100, stream)) {}
        rewind(stream);
        if (fread(text, 1, 10, stream) != 10) return 9;
    } else if (!strcmp(way, "synced")) {
        fprintf(stream, "%d\n", number);
        fflush(stream);
        fsync(fileno(stream));
    } else if (!strcmp(way, "fwrite") || !strcmp(way, "append-fwrite")) {
        fwrite("header\n", 1, 7, stream);
    } else if (!strcmp(way, "moved-fwrite")) {
        fseek(stream, 5000, SEEK_SET);
        fwrite("header\n", 1, 7, stream);
    } else if (!strcmp(way, "descriptor")) {
        if (write(fileno(stream), "header\n", 7) != 7) return 9;
    } else if (!strcmp(way, "fread")) {
        if (fread(text, 1, 10, stream) != 10) return 9;
    } else if (!strcmp(way, "size")) {
        fseek(stream, 0, SEEK_END);
        if (ftell(stream) <= 0) return 9;
    } else if (!strcmp(way, "child")) {
        fwrite("header\n", 1, 7, stream);
        fflush(stream);
        if (fork() == 0) {
            fclose(stream);
            exit(0);
        }
        wait(NULL);
    } else if (strcmp(way, "not-used") && strcmp(way, "append-not-used")) {
        return 2;
    }
    return fclose(stream);
}
