/* `rights FILE`: appends its users to FILE and to stdout, in one write each, and ends with 3. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char text[100];
    int length = snprintf(text, sizeof text, "%d %d\n", (int)getuid(), (int)geteuid());
    int fd = open(argv[argc - 1], O_WRONLY | O_CREAT | O_APPEND, 0666);
    return fd >= 0 && write(fd, text, length) == length && write(1, text, length) == length ? 3 : 9;
}
