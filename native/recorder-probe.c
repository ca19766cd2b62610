/* The self-test of the recorder: sizes tell the accesses apart; the last two are of a child. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static char buffer[8192];
int main(int argc, char **argv)
{
    int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(fd, buffer, 1001) != 1001 || pwrite(fd, buffer, 1002, 0) != 1002) return 1;
    if (pread(fd, buffer, 103, 0) != 103 || read(fd, buffer, 104) != 1) return 2;
    FILE *stream = fdopen(dup(fd), "r+");
    /* Without a buffer the system call is as large as the fread. */
    setvbuf(stream, NULL, _IONBF, 0);
    rewind(stream);
    if (fread(buffer, 5, 21, stream) != 21 || fclose(stream) != 0) return 3;
    if (fork() == 0) _exit(write(fd, buffer, 1006) == 1006 && pread(fd, buffer, 107, 0) == 107 ? 0 : 4);
    int status;
    wait(&status);
    if (status != 0) return 5;
    close(fd);
    return read(fd, buffer, 108) == -1 ? 0 : 6;
}
