/* Sets up a ring, opens a file, and writes it through the ring: linked with liburing.so or with liburing.a. */
#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char data[65536];
    struct io_uring ring;
    if (argc != 2 || io_uring_queue_init(8, &ring, 0)) return 2;
    int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return 3;
    for (int i = 0; i < 8; i++) {
        struct io_uring_cqe *done;
        io_uring_prep_write(io_uring_get_sqe(&ring), fd, data, sizeof data, (unsigned long)i * sizeof data);
        if (io_uring_submit(&ring) != 1 || io_uring_wait_cqe(&ring, &done) || done->res != sizeof data) return 4;
        io_uring_cqe_seen(&ring, done);
    }
    io_uring_queue_exit(&ring);
    return close(fd);
}
