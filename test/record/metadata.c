/*
 * `metadata FOLDER`: makes every metadata call that the recorder knows, below FOLDER, and prints a line "operation name" for each in order, to be
 * compared with the trace; a failed one has a "!" behind the operation. The name counts from FOLDER. Ends with 0 when every call did what it
 * should and left errno as it should.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

static int failures;
static char lines[65536];
static size_t used;

static void say(const char *operation, const char *name, int fine)
{
    used += (size_t)snprintf(lines + used, sizeof lines - used, "%s %s\n", operation, name);
    if (fine) return;
    dprintf(2, "%s %s: errno %d\n", operation, name, errno);
    failures++;
}

int main(int argc, char **argv)
{
    struct stat st;
    struct stat64 st64;
    struct statx stx;
    struct statfs fs;
    struct statvfs vfs;
    char text[4096], temporary[] = "tmp-XXXXXX", folder_template[] = "dir-XXXXXX", long_name[4096];
    if (argc != 2 || chdir(argv[1]) != 0) return 2;
    int fd, folder, other;

    say("other", "d", mkdir("d", 0700) == 0);
    say("open", "d", (folder = open("d", O_RDONLY | O_DIRECTORY)) >= 0);
    say("open", "a", (fd = open("a", O_RDWR | O_CREAT, 0600)) >= 0);
    say("open", "d/b", (other = openat(folder, "b", O_RDWR | O_CREAT, 0600)) >= 0);
    say("close", "d/b", close(other) == 0);
    say("open", "c", (other = creat("./d/../c", 0600)) >= 0);
    say("close", "c", close(other) == 0);
    errno = 0;
    say("open!", "missing", open("missing", O_RDONLY) == -1 && errno == ENOENT);
    say("open!", "nowhere/x", open("nowhere/x", O_RDONLY) == -1 && errno == ENOENT);
    snprintf(long_name, sizeof long_name, "%s/a", argv[1]);
    say("open", "a", (other = open64(long_name, O_RDONLY)) >= 0);
    int again = dup(other);
    say("close", "a", close(other) == 0);
    say("stat", "a", fstat(again, &st) == 0);
    say("close", "a", close(again) == 0);
    say("open", "a", (other = (int)syscall(SYS_openat, AT_FDCWD, "a", O_RDONLY)) >= 0);
    say("close", "a", syscall(SYS_close, other) == 0);

    say("stat", "a", stat("a", &st) == 0);
    say("stat", "a", stat64("a", &st64) == 0);
    say("stat", "a", lstat("a", &st) == 0);
    say("stat", "d/b", fstatat(folder, "b", &st, 0) == 0);
    say("stat", "d", fstatat(folder, "", &st, AT_EMPTY_PATH) == 0);
    say("stat", "a", statx(AT_FDCWD, "a", 0, STATX_BASIC_STATS, &stx) == 0);
    say("stat", "a", syscall(SYS_statx, AT_FDCWD, "a", 0, STATX_BASIC_STATS, &stx) == 0);
    say("stat", "a", fstat(fd, &st) == 0);
    say("stat!", "missing", stat("missing", &st) == -1 && errno == ENOENT);
    say("stat", "a", access("a", R_OK) == 0);
    say("stat!", "missing", access("missing", R_OK) == -1 && errno == ENOENT);
    say("stat", "d/b", faccessat(folder, "b", R_OK, 0) == 0);
    say("stat", "a", statfs("a", &fs) == 0);
    say("stat", "a", fstatvfs(fd, &vfs) == 0);
    /* The kernel cannot read this name, and neither must we. */
    errno = 0;
    if (stat((const char *)8, &st) != -1 || errno != EFAULT) failures++;

    say("other", "s", symlink("a", "s") == 0);
    say("stat", "s", readlink("s", text, sizeof text) == 1);
    say("stat", "s", realpath("s", text) == text);
    say("other", "a", link("a", "hard") == 0);
    say("other", "hard", rename("hard", "hard2") == 0);
    say("other", "hard2", renameat2(AT_FDCWD, "hard2", folder, "hard3", 0) == 0);
    say("other", "d/hard3", unlinkat(folder, "hard3", 0) == 0);
    say("other", "s", unlink("s") == 0);
    say("other!", "s", remove("s") == -1 && errno == ENOENT);
    say("other", "fifo", mkfifo("fifo", 0600) == 0);
    say("other", "fifo", remove("fifo") == 0);

    say("other", "a", chmod("a", 0640) == 0);
    say("other", "a", fchmod(fd, 0600) == 0);
    say("other", "a", chown("a", (uid_t)-1, (gid_t)-1) == 0);
    say("other", "a", utimensat(AT_FDCWD, "a", NULL, 0) == 0);
    say("other", "a", futimens(fd, NULL) == 0);
    say("other!", "a", getxattr("a", "user.none", text, sizeof text) == -1);
    say("other", "a", truncate("a", 1000) == 0);
    say("other", "a", ftruncate(fd, 2000) == 0);
    say("other", "a", posix_fallocate(fd, 0, 4096) == 0);
    say("other", "a", posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL) == 0);
    say("seek", "a", lseek(fd, 100, SEEK_SET) == 100);
    say("sync", "a", fsync(fd) == 0);
    say("sync", "a", fdatasync(fd) == 0);

    /* One record for all entries, before that of the close. */
    say("open", "d", 1);
    DIR *list = opendir("d");
    int entries = 0;
    while (readdir(list)) entries++;
    say("other", "d", entries == 3);
    say("close", "d", closedir(list) == 0);
    errno = 0;
    say("open!", "missing", opendir("missing") == NULL && errno == ENOENT);

    /* Names in another working directory. */
    if (chdir("d") != 0) failures++;
    say("stat", "d/b", stat("b", &st) == 0);
    say("stat", "a", stat("../a", &st) == 0);
    if (chdir("..") != 0) failures++;
    say("stat!", "b", stat("b", &st) == -1);

    other = mkstemp(temporary);
    say("open", temporary, other >= 0);
    say("close", temporary, close(other) == 0);
    char *made = mkdtemp(folder_template);
    say("other", folder_template, made != NULL);
    say("other", folder_template, rmdir(folder_template) == 0);
    say("close", "d", close(folder) == 0);
    /* Not what the headers ask for, and no reason to crash. */
    DIR *volatile no_list = NULL;
    const char *volatile no_name = NULL;
    errno = 0;
    if (closedir(no_list) != -1 || errno != EINVAL) failures++;
    if (utimensat(AT_FDCWD, no_name, NULL, 0) != -1 || stat(no_name, &st) != -1 || errno != EFAULT) failures++;
    /* Nobody knows of these. */
    errno = 0;
    if (close(999) != -1 || errno != EBADF) failures++;
    errno = 77;
    say("stat", "a", stat("a", &st) == 0);
    if (errno != 77) failures++;
    say("close", "a", close(fd) == 0);
    if (write(1, lines, used) != (ssize_t)used) failures++;
    return failures > 0;
}
