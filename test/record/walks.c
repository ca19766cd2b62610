/*
 * `walks FOLDER`: walks through a folder with a file in each of two folders in the ways of libc, and prints what it does: a line for
 * each metadata call that the recorder is to see, and what it found.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *folder;
static int seen, leaves;
static jmp_buf back;

static int count(const char *path, const struct stat *st, int kind)
{
    (void)path, (void)st, (void)kind;
    seen++;
    if (leaves) longjmp(back, 1);
    return 0;
}
/* Relative to the folder that the walk is in. */
static int look(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st;
    seen++;
    if (kind != FTW_F) return 0;
    int fd = open(path + place->base, O_RDONLY);
    char text[8];
    printf("open %s\n", path);
    printf("read %s %zd\n", path, read(fd, text, sizeof text));
    printf("close %s\n", path);
    return close(fd);
}
static int nested(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    (void)st, (void)place;
    if (kind != FTW_D || !strcmp(path, folder)) return 0;
    printf("other %s\n", path);
    return ftw(path, count, 4);
}
static void found(int result)
{
    fprintf(stderr, "%d %d %s\n", result, seen, result < 0 ? strerror(errno) : "");
    seen = 0;
}
int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]) != 0) return 2;
    folder = argv[1];
    found(ftw(folder, count, 4));
    printf("other %s\n", folder);
    found(nftw(".", look, 4, FTW_CHDIR | FTW_PHYS));
    printf("other .\n");
    found(nftw(folder, nested, 4, FTW_PHYS));
    printf("other %s\n", folder);
    found(ftw("missing", count, 4));
    printf("other! missing\n");
    leaves = 1;
    /* A walk that is left on the way never ends. */
    if (!setjmp(back)) ftw(folder, count, 4);
    leaves = 0;
    found(ftw("a", count, 4));
    printf("other a\n");
    char *roots[] = {argv[1], NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL, NULL);
    for (FTSENT *one; (one = fts_read(walk));) {
        if (one->fts_info != FTS_F) continue;
        seen++;
        printf("stat %s\n", one->fts_path);
        if (access(one->fts_accpath, R_OK) != 0) return 3;
    }
    found(fts_close(walk));
    printf("other %s\n", folder);
    return 0;
}
