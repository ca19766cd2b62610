/* `plugin deep|own LIBRARY FILE`: loads a plug-in that binds its own symbols first, or with a C library of its own, and lets it write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef PLUGIN
int write_file(const char *path)
{
    static char text[1000];
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    ssize_t done = 0;
    for (int i = 0; i < 200; i++) done += write(fd, text, sizeof text);
    return close(fd) == 0 && done == 200000 ? 0 : 9;
}
#else
/* Writes a file through memory, then reads it that many times. */
static int mapped(const char *path, size_t size, int reads)
{
    char text[64];
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)size) != 0) return 9;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) return 9;
    memset(memory, 1, size);
    for (int i = 0; i < reads; i++)
        if (pread(fd, text, sizeof text, 0) != sizeof text) return 9;
    return msync(memory, size, MS_SYNC);
}
int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "mapped")) return mapped(argv[2], 8 << 20, 0);
    if (argc == 3 && !strcmp(argv[1], "mapped-little")) return mapped(argv[2], 4096, 100000);
    if (argc != 4) return 2;
    void *object = !strcmp(argv[1], "own") ? dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW) : dlopen(argv[2], RTLD_NOW | RTLD_DEEPBIND);
    int (*write_file)(const char *) = object ? (int (*)(const char *))dlsym(object, "write_file") : NULL;
    if (!write_file) fprintf(stderr, "%s\n", dlerror());
    return write_file ? write_file(argv[3]) : 9;
}
#endif
