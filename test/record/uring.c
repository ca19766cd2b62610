/* `uring WAY FOLDER`: reads and writes by io_uring, named in test/record/uring.test.ts; prints the bytes that results say, per file. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH 16
#define SIZE 4096
#define ROUNDS 20
static char buffers[DEPTH][SIZE];
static struct iovec vectors[DEPTH][2];
static long long done[3];
static const char *names[] = {"a", "b", "c"};

static int failed(const char *what, int error)
{
    fprintf(stderr, "%s: %s\n", what, strerror(error));
    /* Not every machine allows it. */
    return error == ENOSYS || error == EPERM ? 77 : 9;
}
static void take(struct io_uring_cqe *cqe)
{
    if (cqe->res > 0) done[cqe->user_data % 3] += cqe->res;
}
static void prepare(struct io_uring_sqe *sqe, const int *fds, int i, int round, const char *way)
{
    int file = i % 3, fd = fds[file];
    long at = (long)(round * DEPTH + i) * SIZE;
    int fixed = !strcmp(way, "fixed");
    if (file == 0) io_uring_prep_write(sqe, fixed ? 0 : fd, buffers[i], SIZE, at);
    else if (file == 1) {
        vectors[i][0] = (struct iovec){buffers[i], 100};
        vectors[i][1] = (struct iovec){buffers[i] + 100, 50};
        io_uring_prep_writev(sqe, fixed ? 1 : fd, vectors[i], 2, at);
    } else io_uring_prep_read(sqe, fixed ? 2 : fd, buffers[i], SIZE, at);
    if (fixed) sqe->flags |= IOSQE_FIXED_FILE;
    /* All of a file alike: several results under one number. */
    sqe->user_data = file;
}
static int loop(const char *way, const int *fds, unsigned flags)
{
    struct io_uring ring;
    struct io_uring_cqe *cqe;
    int result = io_uring_queue_init(DEPTH, &ring, flags);
    if (result < 0) return failed("io_uring_queue_init", -result);
    if (!strcmp(way, "fixed") && (result = io_uring_register_files(&ring, fds, 3)) < 0) return failed("register", -result);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < DEPTH; i++) prepare(io_uring_get_sqe(&ring), fds, i, round, way);
        result = strcmp(way, "inline") && strcmp(way, "left") ? io_uring_submit(&ring) : io_uring_submit_and_wait(&ring, DEPTH);
        if (result != DEPTH) return failed("submit", result < 0 ? -result : EIO);
        if (!strcmp(way, "inline") || !strcmp(way, "left")) {
            unsigned head, count = 0;
            io_uring_for_each_cqe(&ring, head, cqe) take(cqe), count++;
            io_uring_cq_advance(&ring, count);
            if (count != DEPTH) return failed("results", EIO);
            continue;
        }
        for (int i = 0; i < DEPTH; i++) {
            if ((result = io_uring_wait_cqe(&ring, &cqe)) < 0) return failed("wait", -result);
            take(cqe);
            io_uring_cqe_seen(&ring, cqe);
        }
    }
    if (strcmp(way, "left")) io_uring_queue_exit(&ring);
    return 0;
}

/* Names, syncs and descriptors, one by one. */
static int one(struct io_uring *ring)
{
    struct io_uring_cqe *cqe;
    io_uring_submit(ring);
    if (io_uring_wait_cqe(ring, &cqe) < 0) exit(9);
    int result = cqe->res;
    io_uring_cqe_seen(ring, cqe);
    return result;
}
static int metadata(const char *folder)
{
    struct io_uring ring;
    struct statx st;
    char path[4096], other[4096];
    int result = io_uring_queue_init(4, &ring, 0);
    if (result < 0) return failed("io_uring_queue_init", -result);
    snprintf(path, sizeof path, "%s/new", folder);
    snprintf(other, sizeof other, "%s/renamed", folder);
    io_uring_prep_openat(io_uring_get_sqe(&ring), AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
    int fd = one(&ring);
    if (fd < 0) return 9;
    io_uring_prep_write(io_uring_get_sqe(&ring), fd, buffers[0], 1000, -1);
    if (one(&ring) != 1000) return 9;
    if (write(fd, buffers[0], 24) != 24) return 9;
    io_uring_prep_fsync(io_uring_get_sqe(&ring), fd, 0);
    if (one(&ring) != 0) return 9;
    io_uring_prep_statx(io_uring_get_sqe(&ring), AT_FDCWD, path, 0, STATX_SIZE, &st);
    if (one(&ring) != 0 || st.stx_size != 1024) return 9;
    io_uring_prep_close(io_uring_get_sqe(&ring), fd);
    if (one(&ring) != 0) return 9;
    io_uring_prep_renameat(io_uring_get_sqe(&ring), AT_FDCWD, path, AT_FDCWD, other, 0);
    if (one(&ring) != 0) return 9;
    io_uring_prep_unlinkat(io_uring_get_sqe(&ring), AT_FDCWD, other, 0);
    if (one(&ring) != 0) return 9;
    io_uring_prep_openat(io_uring_get_sqe(&ring), AT_FDCWD, other, O_RDONLY, 0);
    if (one(&ring) != -ENOENT) return 9;
    /* Addresses that the kernel refuses. */
    io_uring_prep_openat(io_uring_get_sqe(&ring), AT_FDCWD, (const char *)16, O_RDONLY, 0);
    if (one(&ring) != -EFAULT) return 9;
    io_uring_prep_readv(io_uring_get_sqe(&ring), 0, (const struct iovec *)16, 1, 0);
    if (one(&ring) >= 0) return 9;
    io_uring_queue_exit(&ring);
    return 0;
}

/* Without liburing: by syscall(), or by instructions of its own. */
static long by_hand(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = 0, r9 __asm__("r9") = 0;
    __asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return result;
#else
    return syscall(number, a, b, c, d, 0, 0);
#endif
}
static int raw(int hidden, const int *fds)
{
    struct io_uring_params p = {0};
    int fd = (int)syscall(SYS_io_uring_setup, DEPTH, &p);
    if (fd < 0) return failed("io_uring_setup", errno);
    char *sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
    char *cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_CQ_RING);
    struct io_uring_sqe *sqes = mmap(NULL, p.sq_entries * 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
    unsigned *tail = (unsigned *)(sq + p.sq_off.tail), *array = (unsigned *)(sq + p.sq_off.array);
    unsigned *head = (unsigned *)(cq + p.cq_off.head);
    struct io_uring_cqe *cqes = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < DEPTH; i++) {
            prepare(&sqes[i], fds, i, round, "raw");
            array[(*tail + i) % p.sq_entries] = i;
        }
        __atomic_store_n(tail, *tail + DEPTH, __ATOMIC_RELEASE);
        long result = hidden ? by_hand(SYS_io_uring_enter, fd, DEPTH, DEPTH, IORING_ENTER_GETEVENTS)
                             : syscall(SYS_io_uring_enter, fd, DEPTH, DEPTH, IORING_ENTER_GETEVENTS, NULL, 0);
        if (result != DEPTH) return 9;
        for (int i = 0; i < DEPTH; i++) take(&cqes[(*head + i) % p.cq_entries]);
        __atomic_store_n(head, *head + DEPTH, __ATOMIC_RELEASE);
    }
    munmap(sqes, p.sq_entries * 64);
    munmap(cq, p.cq_off.cqes + p.cq_entries * 16);
    munmap(sq, p.sq_off.array + p.sq_entries * 4);
    return close(fd);
}

int main(int argc, char **argv)
{
    const char *way = argv[1];
    int fds[3];
    if (argc != 3) return 2;
    if (!strcmp(way, "metadata")) return metadata(argv[2]);
    if (chdir(argv[2]) != 0) return 9;
    for (int i = 0; i < 3; i++)
        if ((fds[i] = open(names[i], O_RDWR | O_CREAT | (i == 1 && !strcmp(way, "append") ? O_APPEND : 0), 0600)) < 0) return 9;
    /* Shorter than what is read. */
    if (ftruncate(fds[2], 1000000) != 0) return 9;
    int result = !strcmp(way, "raw") || !strcmp(way, "hidden") ? raw(!strcmp(way, "hidden"), fds)
                                                               : loop(way, fds, !strcmp(way, "sqpoll") ? IORING_SETUP_SQPOLL : 0);
    printf("%lld %lld %lld\n", done[0], done[1], done[2]);
    return result;
}
