/*
 * Metadata calls: one record each, with the file by name or descriptor, the errno of a failure, and a length where
 * there is one. What libc does inside (realpath, getpwnam, locales) is not seen. Part of recorder.c.
 */

static inline int has_metadata(void)
{
    return LIKELY(is_on()) && setup.metadata;
}

/* `detail` is the errno of a failure, else a length or a count. */
static void record_metadata(unsigned op, uint32_t entry, int failed, uint64_t detail, uint64_t start_ns, uint64_t end_ns)
{
    if (!(entry & FD_KNOWN)) return;
    if (entry & (FD_SKIP | FD_LOST)) {
        struct header *header = process->header;
        if (header) __atomic_fetch_add(&header->skipped_metadata, 1, __ATOMIC_RELAXED);
        return;
    }
    unsigned flags = entry_flags(entry) | (failed ? FLAG_ERROR : 0) | (is_inside() ? FLAG_NESTED : 0);
    record(op, flags, entry & 0xffff, detail, MOVED_UNKNOWN, start_ns, end_ns);
}

/* The path is read after the call: where the kernel could not read it, we must not either. */
static void finish_path(unsigned op, int from, const char *path, int failed, uint64_t detail, int opened, uint64_t start_ns)
{
    uint64_t end_ns = now();
    int saved = errno;
    MAY_BE_NULL(path);
    if (!(failed && saved == EFAULT)) {
        /* No path, or an empty one, stands for the descriptor. */
        uint32_t entry = path && path[0] ? path_entry(from, path, opened, failed) : from >= 0 ? described(from) : 0;
        if (opened >= 0) note_descriptor(opened, entry | (op == OP_FOPEN ? FD_STREAM : 0));
        record_metadata(op, entry, failed, failed ? (uint64_t)saved : detail, start_ns, end_ns);
    }
    errno = saved;
}
static void finish_descriptor(unsigned op, int fd, int failed, uint64_t detail, uint64_t start_ns)
{
    uint64_t end_ns = now();
    int saved = errno;
    if (!(failed && saved == EBADF))
        record_metadata(op, described(fd), failed, failed ? (uint64_t)saved : detail, start_ns, end_ns);
    errno = saved;
}

#define BY_PATH_OF(op, from, path, detail, failed, call)             \
    if (!has_metadata()) return call;                                \
    uint64_t start_ns = now();                                       \
    __auto_type result = call;                                       \
    finish_path(op, from, path, failed, detail, -1, start_ns);       \
    return result
#define BY_PATH(op, from, path, call) BY_PATH_OF(op, from, path, 0, result < 0, call)
#define BY_FD_OF(op, fd, detail, failed, call)                       \
    if (!has_metadata()) return call;                                \
    uint64_t start_ns = now();                                       \
    __auto_type result = call;                                       \
    finish_descriptor(op, fd, failed, detail, start_ns);             \
    return result
#define BY_FD(op, fd, call) BY_FD_OF(op, fd, 0, result < 0, call)

#define WRAP_BY_PATH(op, name, parameters, arguments, from, path) \
    WRAP(int, name, parameters) { BY_PATH(op, from, path, REAL(name) arguments); }
#define WRAP_BY_FD(op, name, parameters, arguments, fd) \
    WRAP(int, name, parameters) { BY_FD(op, fd, REAL(name) arguments); }

/* ---- open and close ------------------------------------------------------------------------------------------------ */

/* A descriptor that something unseen closed may come back under its old number. */
static inline int opened(int fd)
{
    if (fd >= 0) {
        forget(fd);
        own_position(fd, 1);
        notice_beside(fd - 1);
    }
    return fd;
}
#define OPENS(from, path, call)                                                     \
    if (!is_on()) return call;                                                      \
    if (!setup.metadata) return opened(call);                                       \
    uint64_t start_ns = now();                                                      \
    int result = (int)(call);                                                       \
    opened(result);                                                                 \
    finish_path(OP_OPEN, from, path, result < 0, 0, result < 0 ? -1 : result, start_ns); \
    return result
#define WRAP_OPEN(name, parameters, arguments, from) \
    WRAP_AS(int, name, parameters) { OPENS(from, path, REAL(name) arguments); }
WRAP_OPEN(open, (const char *path, int flags, mode_t permissions), (path, flags, permissions), AT_FDCWD)
WRAP_OPEN(open64, (const char *path, int flags, mode_t permissions), (path, flags, permissions), AT_FDCWD)
WRAP_OPEN(openat, (int from, const char *path, int flags, mode_t permissions), (from, path, flags, permissions), from)
WRAP_OPEN(openat64, (int from, const char *path, int flags, mode_t permissions), (from, path, flags, permissions), from)
WRAP_OPEN(creat, (const char *path, mode_t permissions), (path, permissions), AT_FDCWD)
WRAP_OPEN(creat64, (const char *path, mode_t permissions), (path, permissions), AT_FDCWD)
/* What programs built with _FORTIFY_SOURCE call instead. */
WRAP_OPEN(__open_2, (const char *path, int flags), (path, flags), AT_FDCWD)
WRAP_OPEN(__open64_2, (const char *path, int flags), (path, flags), AT_FDCWD)
WRAP_OPEN(__openat_2, (int from, const char *path, int flags), (from, path, flags), from)
WRAP_OPEN(__openat64_2, (int from, const char *path, int flags), (from, path, flags), from)
/* The template has the name by then. */
WRAP_OPEN(mkstemp, (char *path), (path), AT_FDCWD)
WRAP_OPEN(mkstemp64, (char *path), (path), AT_FDCWD)
WRAP_OPEN(mkostemp, (char *path, int flags), (path, flags), AT_FDCWD)
WRAP_OPEN(mkostemp64, (char *path, int flags), (path, flags), AT_FDCWD)
WRAP_OPEN(mkstemps, (char *path, int suffix), (path, suffix), AT_FDCWD)
WRAP_OPEN(mkstemps64, (char *path, int suffix), (path, suffix), AT_FDCWD)
WRAP_OPEN(mkostemps, (char *path, int suffix, int flags), (path, suffix, flags), AT_FDCWD)
WRAP_OPEN(mkostemps64, (char *path, int suffix, int flags), (path, suffix, flags), AT_FDCWD)
WRAP_IN(char *, mkdtemp, (char *path), (path), BY_PATH_OF, OP_MKDIR, AT_FDCWD, path, 0, result == NULL)

/* Descriptors of which nothing is known stay so: programs close hundreds of numbers in a row. */
static int close_noted(int (*real)(int), int fd)
{
    if (!is_on()) return real(fd);
    uint32_t entry = setup.metadata ? noted(fd) : 0;
    if (UNLIKELY(process->ring_highest)) ring_closed(fd);
    forget(fd);
    if (!(entry & FD_KNOWN)) return real(fd);
    uint64_t start_ns = now();
    int result = real(fd), saved = errno;
    record_metadata(OP_CLOSE, entry, result < 0, result < 0 ? (uint64_t)saved : 0, start_ns, now());
    errno = saved;
    return result;
}
WRAP(int, close, (int fd))
{
    return close_noted(REAL(close), fd);
}

/* ---- stat and the like ---------------------------------------------------------------------------------------------- */

WRAP_BY_PATH(OP_STAT, stat, (const char *path, struct stat *st), (path, st), AT_FDCWD, path)
WRAP_BY_PATH(OP_STAT, stat64, (const char *path, struct stat64 *st), (path, st), AT_FDCWD, path)
WRAP_BY_PATH(OP_STAT, lstat, (const char *path, struct stat *st), (path, st), AT_FDCWD, path)
WRAP_BY_PATH(OP_STAT, lstat64, (const char *path, struct stat64 *st), (path, st), AT_FDCWD, path)
WRAP_BY_PATH(OP_STAT, fstatat, (int from, const char *path, struct stat *st, int how), (from, path, st, how), from, path)
WRAP_BY_PATH(OP_STAT, fstatat64, (int from, const char *path, struct stat64 *st, int how), (from, path, st, how), from, path)
WRAP_BY_PATH(OP_STAT, statx, (int from, const char *path, int how, unsigned mask, struct statx *st),
             (from, path, how, mask, st), from, path)
WRAP_BY_FD(OP_STAT, fstat, (int fd, struct stat *st), (fd, st), fd)
WRAP_BY_FD(OP_STAT, fstat64, (int fd, struct stat64 *st), (fd, st), fd)
/* Programs built before glibc 2.33. */
WRAP_BY_PATH(OP_STAT, __xstat, (int version, const char *path, struct stat *st), (version, path, st), AT_FDCWD, path)
WRAP_BY_PATH(OP_STAT, __xstat64, (int version, const char *path, struct stat64 *st), (version, path, st), AT_FDCWD, path)
WRAP_BY_PATH(OP_STAT, __lxstat, (int version, const char *path, struct stat *st), (version, path, st), AT_FDCWD, path)
WRAP_BY_PATH(OP_STAT, __lxstat64, (int version, const char *path, struct stat64 *st), (version, path, st), AT_FDCWD, path)
WRAP_BY_FD(OP_STAT, __fxstat, (int version, int fd, struct stat *st), (version, fd, st), fd)
WRAP_BY_FD(OP_STAT, __fxstat64, (int version, int fd, struct stat64 *st), (version, fd, st), fd)
WRAP_BY_PATH(OP_STAT, __fxstatat, (int version, int from, const char *path, struct stat *st, int how),
             (version, from, path, st, how), from, path)
WRAP_BY_PATH(OP_STAT, __fxstatat64, (int version, int from, const char *path, struct stat64 *st, int how),
             (version, from, path, st, how), from, path)
WRAP_BY_PATH(OP_ACCESS, access, (const char *path, int how), (path, how), AT_FDCWD, path)
WRAP_BY_PATH(OP_ACCESS, eaccess, (const char *path, int how), (path, how), AT_FDCWD, path)
WRAP_BY_PATH(OP_ACCESS, euidaccess, (const char *path, int how), (path, how), AT_FDCWD, path)
WRAP_BY_PATH(OP_ACCESS, faccessat, (int from, const char *path, int how, int flags), (from, path, how, flags), from, path)
WRAP_BY_PATH(OP_STATFS, statfs, (const char *path, struct statfs *fs), (path, fs), AT_FDCWD, path)
WRAP_BY_PATH(OP_STATFS, statfs64, (const char *path, struct statfs64 *fs), (path, fs), AT_FDCWD, path)
WRAP_BY_PATH(OP_STATFS, statvfs, (const char *path, struct statvfs *fs), (path, fs), AT_FDCWD, path)
WRAP_BY_PATH(OP_STATFS, statvfs64, (const char *path, struct statvfs64 *fs), (path, fs), AT_FDCWD, path)
WRAP_BY_FD(OP_STATFS, fstatfs, (int fd, struct statfs *fs), (fd, fs), fd)
WRAP_BY_FD(OP_STATFS, fstatfs64, (int fd, struct statfs64 *fs), (fd, fs), fd)
WRAP_BY_FD(OP_STATFS, fstatvfs, (int fd, struct statvfs *fs), (fd, fs), fd)
WRAP_BY_FD(OP_STATFS, fstatvfs64, (int fd, struct statvfs64 *fs), (fd, fs), fd)
WRAP_IN(ssize_t, readlink, (const char *path, char *text, size_t size),
        (path, text, size), BY_PATH, OP_READLINK, AT_FDCWD, path)
WRAP_IN(ssize_t, readlinkat, (int from, const char *path, char *text, size_t size),
        (from, path, text, size), BY_PATH, OP_READLINK, from, path)
WRAP_IN(ssize_t, __readlink_chk, (const char *path, char *text, size_t size, size_t room),
        (path, text, size, room), BY_PATH, OP_READLINK, AT_FDCWD, path)
WRAP_IN(ssize_t, __readlinkat_chk, (int from, const char *path, char *text, size_t size, size_t room),
        (from, path, text, size, room), BY_PATH, OP_READLINK, from, path)
/* A readlink for each part of the path, inside libc: one record with the time of all. */
WRAP_IN(char *, realpath, (const char *path, char *into),
        (path, into), BY_PATH_OF, OP_READLINK, AT_FDCWD, path, 0, result == NULL)
WRAP_IN(char *, __realpath_chk, (const char *path, char *into, size_t room),
        (path, into, room), BY_PATH_OF, OP_READLINK, AT_FDCWD, path, 0, result == NULL)
WRAP_IN(char *, canonicalize_file_name, (const char *path),
        (path), BY_PATH_OF, OP_READLINK, AT_FDCWD, path, 0, result == NULL)

/* ---- names ---------------------------------------------------------------------------------------------------------- */

WRAP_BY_PATH(OP_UNLINK, unlink, (const char *path), (path), AT_FDCWD, path)
WRAP_IN(int, unlinkat, (int from, const char *path, int how),
        (from, path, how), BY_PATH, how & AT_REMOVEDIR ? OP_RMDIR : OP_UNLINK, from, path)
WRAP_BY_PATH(OP_UNLINK, remove, (const char *path), (path), AT_FDCWD, path)
WRAP_BY_PATH(OP_RENAME, rename, (const char *path, const char *to), (path, to), AT_FDCWD, path)
WRAP_BY_PATH(OP_RENAME, renameat, (int from, const char *path, int to_from, const char *to), (from, path, to_from, to), from, path)
WRAP_BY_PATH(OP_RENAME, renameat2, (int from, const char *path, int to_from, const char *to, unsigned how),
             (from, path, to_from, to, how), from, path)
WRAP_BY_PATH(OP_LINK, link, (const char *path, const char *to), (path, to), AT_FDCWD, path)
WRAP_BY_PATH(OP_LINK, linkat, (int from, const char *path, int to_from, const char *to, int how),
             (from, path, to_from, to, how), from, path)
WRAP_BY_PATH(OP_SYMLINK, symlink, (const char *text, const char *path), (text, path), AT_FDCWD, path)
WRAP_BY_PATH(OP_SYMLINK, symlinkat, (const char *text, int from, const char *path), (text, from, path), from, path)
WRAP_BY_PATH(OP_MKDIR, mkdir, (const char *path, mode_t permissions), (path, permissions), AT_FDCWD, path)
WRAP_BY_PATH(OP_MKDIR, mkdirat, (int from, const char *path, mode_t permissions), (from, path, permissions), from, path)
WRAP_BY_PATH(OP_RMDIR, rmdir, (const char *path), (path), AT_FDCWD, path)
WRAP_BY_PATH(OP_MKNOD, mknod, (const char *path, mode_t how, dev_t device), (path, how, device), AT_FDCWD, path)
WRAP_BY_PATH(OP_MKNOD, mknodat, (int from, const char *path, mode_t how, dev_t device), (from, path, how, device), from, path)
WRAP_BY_PATH(OP_MKNOD, __xmknod, (int version, const char *path, mode_t how, dev_t *device), (version, path, how, device),
             AT_FDCWD, path)
WRAP_BY_PATH(OP_MKNOD, mkfifo, (const char *path, mode_t permissions), (path, permissions), AT_FDCWD, path)
WRAP_BY_PATH(OP_MKNOD, mkfifoat, (int from, const char *path, mode_t permissions), (from, path, permissions), from, path)

/* ---- attributes ------------------------------------------------------------------------------------------------------ */

WRAP_BY_PATH(OP_ATTRIBUTES, chmod, (const char *path, mode_t to), (path, to), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, lchmod, (const char *path, mode_t to), (path, to), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, fchmodat, (int from, const char *path, mode_t to, int how), (from, path, to, how), from, path)
WRAP_BY_FD(OP_ATTRIBUTES, fchmod, (int fd, mode_t to), (fd, to), fd)
WRAP_BY_PATH(OP_ATTRIBUTES, chown, (const char *path, uid_t user, gid_t group), (path, user, group), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, lchown, (const char *path, uid_t user, gid_t group), (path, user, group), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, fchownat, (int from, const char *path, uid_t user, gid_t group, int how),
             (from, path, user, group, how), from, path)
WRAP_BY_FD(OP_ATTRIBUTES, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), fd)
WRAP_BY_PATH(OP_ATTRIBUTES, utime, (const char *path, const struct utimbuf *to), (path, to), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, utimes, (const char *path, const struct timeval to[2]), (path, to), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, lutimes, (const char *path, const struct timeval to[2]), (path, to), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, utimensat, (int from, const char *path, const struct timespec to[2], int how),
             (from, path, to, how), from, path)
WRAP_BY_FD(OP_ATTRIBUTES, futimens, (int fd, const struct timespec to[2]), (fd, to), fd)
WRAP_BY_FD(OP_ATTRIBUTES, futimes, (int fd, const struct timeval to[2]), (fd, to), fd)
WRAP_BY_PATH(OP_ATTRIBUTES, setxattr, (const char *path, const char *name, const void *value, size_t size, int how),
             (path, name, value, size, how), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, lsetxattr, (const char *path, const char *name, const void *value, size_t size, int how),
             (path, name, value, size, how), AT_FDCWD, path)
WRAP_BY_FD(OP_ATTRIBUTES, fsetxattr, (int fd, const char *name, const void *value, size_t size, int how),
           (fd, name, value, size, how), fd)
WRAP_BY_PATH(OP_ATTRIBUTES, removexattr, (const char *path, const char *name), (path, name), AT_FDCWD, path)
WRAP_BY_PATH(OP_ATTRIBUTES, lremovexattr, (const char *path, const char *name), (path, name), AT_FDCWD, path)
WRAP_BY_FD(OP_ATTRIBUTES, fremovexattr, (int fd, const char *name), (fd, name), fd)
WRAP_IN(ssize_t, getxattr, (const char *path, const char *name, void *value, size_t size),
        (path, name, value, size), BY_PATH, OP_ATTRIBUTES, AT_FDCWD, path)
WRAP_IN(ssize_t, lgetxattr, (const char *path, const char *name, void *value, size_t size),
        (path, name, value, size), BY_PATH, OP_ATTRIBUTES, AT_FDCWD, path)
WRAP_IN(ssize_t, fgetxattr, (int fd, const char *name, void *value, size_t size),
        (fd, name, value, size), BY_FD, OP_ATTRIBUTES, fd)
WRAP_IN(ssize_t, listxattr, (const char *path, char *names, size_t size),
        (path, names, size), BY_PATH, OP_ATTRIBUTES, AT_FDCWD, path)
WRAP_IN(ssize_t, llistxattr, (const char *path, char *names, size_t size),
        (path, names, size), BY_PATH, OP_ATTRIBUTES, AT_FDCWD, path)
WRAP_IN(ssize_t, flistxattr, (int fd, char *names, size_t size), (fd, names, size), BY_FD, OP_ATTRIBUTES, fd)

/* ---- sizes and positions ---------------------------------------------------------------------------------------------- */

WRAP_IN(int, truncate, (const char *path, off_t size),
        (path, size), BY_PATH_OF, OP_TRUNCATE, AT_FDCWD, path, (uint64_t)size, result < 0)
WRAP_IN(int, truncate64, (const char *path, off64_t size),
        (path, size), BY_PATH_OF, OP_TRUNCATE, AT_FDCWD, path, (uint64_t)size, result < 0)
WRAP_IN(int, ftruncate, (int fd, off_t size), (fd, size), BY_FD_OF, OP_TRUNCATE, fd, (uint64_t)size, result < 0)
WRAP_IN(int, ftruncate64, (int fd, off64_t size), (fd, size), BY_FD_OF, OP_TRUNCATE, fd, (uint64_t)size, result < 0)
WRAP_IN(int, fallocate, (int fd, int how, off_t at, off_t size),
        (fd, how, at, size), BY_FD_OF, OP_ALLOCATE, fd, (uint64_t)size, result < 0)
WRAP_IN(int, fallocate64, (int fd, int how, off64_t at, off64_t size),
        (fd, how, at, size), BY_FD_OF, OP_ALLOCATE, fd, (uint64_t)size, result < 0)
/* These two give an error number instead of setting errno. */
WRAP_IN(int, posix_fallocate, (int fd, off_t at, off_t size),
        (fd, at, size), BY_FD_OF, OP_ALLOCATE, fd, (uint64_t)size, result != 0)
WRAP_IN(int, posix_fallocate64, (int fd, off64_t at, off64_t size),
        (fd, at, size), BY_FD_OF, OP_ALLOCATE, fd, (uint64_t)size, result != 0)
WRAP_IN(int, posix_fadvise, (int fd, off_t at, off_t size, int advice),
        (fd, at, size, advice), BY_FD_OF, OP_ADVISE, fd, (uint64_t)size, result != 0)
WRAP_IN(int, posix_fadvise64, (int fd, off64_t at, off64_t size, int advice),
        (fd, at, size, advice), BY_FD_OF, OP_ADVISE, fd, (uint64_t)size, result != 0)
WRAP_IN(ssize_t, readahead, (int fd, off64_t at, size_t size), (fd, at, size), BY_FD_OF, OP_ADVISE, fd, size, result < 0)
#define MOVES(fd, call)                                                \
    if (!is_on()) return call;                                         \
    struct span span;                                                  \
    uint64_t start_ns = now();                                         \
    seek_begins(&span, fd);                                            \
    __auto_type result = call;                                         \
    seek_ends(&span, (int64_t)result);                                 \
    if (setup.metadata) finish_descriptor(OP_SEEK, fd, result < 0, 0, start_ns); \
    return result
WRAP_IN(off_t, lseek, (int fd, off_t to, int from), (fd, to, from), MOVES, fd)
WRAP_IN(off64_t, lseek64, (int fd, off64_t to, int from), (fd, to, from), MOVES, fd)

/* ---- sync ------------------------------------------------------------------------------------------------------------ */

WRAP_IN(int, fsync, (int fd), (fd), TIMED_SYNC, fd)
WRAP_IN(int, fdatasync, (int fd), (fd), TIMED_SYNC, fd)
WRAP_IN(int, sync_file_range, (int fd, off64_t offset, off64_t size, unsigned how), (fd, offset, size, how), TIMED_SYNC, fd)
/* Of all files, or of a mapping: no file to name. */
static void finish_sync(int failed, uint64_t start_ns)
{
    uint64_t end_ns = now();
    int saved = errno;
    enter_process();
    record(OP_SYNC, FLAG_WRITE | (failed ? FLAG_ERROR : 0) | (is_inside() ? FLAG_NESTED : 0), FILE_UNKNOWN, 0,
           MOVED_UNKNOWN, start_ns, end_ns);
    errno = saved;
}
#define SYNC_OF_ALL(call)                  \
    if (!is_on()) return call;             \
    uint64_t start_ns = now();             \
    int result = call;                     \
    finish_sync(result < 0, start_ns);     \
    return result
WRAP(int, syncfs, (int fd))
{
    SYNC_OF_ALL(REAL(syncfs)(fd));
}
WRAP(int, msync, (void *at, size_t size, int how))
{
    SYNC_OF_ALL(REAL(msync)(at, size, how));
}
WRAP(void, sync, (void))
{
    uint64_t start_ns = is_on() ? now() : 0;
    REAL(sync)();
    if (is_on()) finish_sync(0, start_ns);
}

/* ---- directories ------------------------------------------------------------------------------------------------------ */

/*
 * Libc fetches many entries at once. One record for all that is read between opendir and closedir: from the first
 * look on, as long as all looks together took, with their number.
 */
#define LISTINGS_MAX 1024
struct listing {
    const void *stream;
    uint32_t entry;
    uint64_t entries, start_ns, took_ns;
};
static struct listing listings[LISTINGS_MAX];

static struct listing *listing_of(const void *stream)
{
    for (unsigned i = 0; i < 32; i++) {
        struct listing *one = &listings[((uintptr_t)stream / 64 + i) % LISTINGS_MAX];
        if (__atomic_load_n(&one->stream, __ATOMIC_ACQUIRE) == stream) return one;
    }
    return NULL;
}
static void add_listing(const void *stream, uint32_t entry)
{
    for (unsigned i = 0; i < 32; i++) {
        struct listing *one = &listings[((uintptr_t)stream / 64 + i) % LISTINGS_MAX];
        const void *nobody = NULL;
        if (!__atomic_compare_exchange_n(&one->stream, &nobody, one, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) continue;
        one->entry = entry;
        one->entries = one->start_ns = one->took_ns = 0;
        __atomic_store_n(&one->stream, stream, __ATOMIC_RELEASE);
        return;
    }
}
static DIR *listed(DIR *stream, const char *path, uint64_t start_ns)
{
    int saved = errno, fd = stream ? dirfd(stream) : -1;
    if (stream) forget(fd);
    errno = saved;
    finish_path(OP_OPEN, AT_FDCWD, path, stream == NULL, 0, fd, start_ns);
    if (stream) add_listing(stream, noted(fd));
    return stream;
}
WRAP(DIR *, opendir, (const char *path))
{
    if (!has_metadata()) {
        DIR *stream = REAL(opendir)(path);
        if (stream) forget(dirfd(stream));
        return stream;
    }
    uint64_t start_ns = now();
    return listed(REAL(opendir)(path), path, start_ns);
}
WRAP(DIR *, fdopendir, (int fd))
{
    DIR *stream = REAL(fdopendir)(fd);
    if (stream && has_metadata()) {
        int saved = errno;
        add_listing(stream, described(fd));
        errno = saved;
    }
    return stream;
}
/* Records what was looked at; returns of which folder. */
static uint32_t end_listing(struct listing *one)
{
    struct listing done = *one;
    __atomic_store_n(&one->stream, NULL, __ATOMIC_RELEASE);
    if (done.start_ns) record_metadata(OP_READDIR, done.entry, 0, done.entries, done.start_ns, done.start_ns + done.took_ns);
    return done.entry;
}
static void add_look(struct listing *one, int found, uint64_t start_ns)
{
    uint64_t end_ns = now();
    if (one->start_ns == 0) one->start_ns = start_ns;
    one->took_ns += end_ns - start_ns;
    one->entries += found != 0;
}
#define LOOKS(stream, found, call)                                      \
    struct listing *one = has_metadata() ? listing_of(stream) : NULL;   \
    if (!one) return call;                                              \
    uint64_t start_ns = now();                                          \
    __auto_type result = call;                                          \
    add_look(one, found, start_ns);                                     \
    return result
WRAP_IN(struct dirent *, readdir, (DIR * stream), (stream), LOOKS, stream, result != NULL)
WRAP_IN(struct dirent64 *, readdir64, (DIR * stream), (stream), LOOKS, stream, result != NULL)
WRAP_IN(int, readdir_r, (DIR * stream, struct dirent *entry, struct dirent **found),
        (stream, entry, found), LOOKS, stream, result == 0 && *found)
WRAP_IN(int, readdir64_r, (DIR * stream, struct dirent64 *entry, struct dirent64 **found),
        (stream, entry, found), LOOKS, stream, result == 0 && *found)
WRAP(int, closedir, (DIR * stream))
{
    DIR *given = stream;
    MAY_BE_NULL(given);
    struct listing *one = given && is_on() ? listing_of(given) : NULL;
    int fd = given && is_on() ? dirfd(given) : -1;
    if (fd >= 0) forget(fd);
    if (!one) return REAL(closedir)(stream);
    uint32_t entry = end_listing(one);
    uint64_t start_ns = now();
    int result = REAL(closedir)(stream), saved = errno;
    record_metadata(OP_CLOSE, entry, result < 0, 0, start_ns, now());
    errno = saved;
    return result;
}
WRAP_IN(ssize_t, getdents64, (int fd, void *buffer, size_t size), (fd, buffer, size), BY_FD, OP_READDIR, fd)
#define WRAP_SCANDIR(name, type)                                                                         \
    WRAP(int, name, (const char *path, struct type ***list, int (*choose)(const struct type *),          \
                     int (*order)(const struct type **, const struct type **)))                          \
    {                                                                                                    \
        BY_PATH_OF(OP_READDIR, AT_FDCWD, path, (uint64_t)result, result < 0, REAL(name)(path, list, choose, order)); \
    }
WRAP_SCANDIR(scandir, dirent)
WRAP_SCANDIR(scandir64, dirent64)

/* ---- the working directory --------------------------------------------------------------------------------------------- */

static inline int moved_to_folder(int result)
{
    if (result == 0 && is_on()) __atomic_store_n(&process->working, NULL, __ATOMIC_RELEASE);
    return result;
}
WRAP(int, chdir, (const char *path))
{
    return moved_to_folder(REAL(chdir)(path));
}
WRAP(int, fchdir, (int fd))
{
    return moved_to_folder(REAL(fchdir)(fd));
}
