/*
 * Walks through folders that libc makes for a program (ftw, nftw, fts): it lists and looks at entries by calls of its own. A walk is one
 * record, as a listing is: from its begin on, as long as libc took, with the number of entries. Part of recorder.c.
 */

/* What nftw calls back in this thread. */
struct walk {
    int (*take)(const char *path, const struct stat *st, int kind, void *place);
    int moves; /* whether it changes the working directory */
    uint64_t entries, aside_ns;
};
static __thread struct walk *walk __attribute__((tls_model("initial-exec")));

/* The program's own time, which may hold walks of its own, is left out. */
static int take_entry(const char *path, const struct stat *st, int kind, void *place)
{
    struct walk *own = walk;
    uint64_t start_ns = now();
    if (own->moves) moved_to_folder(0);
    int result = own->take(path, st, kind, place);
    walk = own;
    own->entries++;
    own->aside_ns += now() - start_ns;
    return result;
}
static void finish_walk(const struct walk *own, const char *path, int result, uint64_t start_ns)
{
    uint64_t took_ns = now() - start_ns - own->aside_ns;
    int saved = errno, failed = result < 0 && own->entries == 0;
    MAY_BE_NULL(path);
    if (own->moves) moved_to_folder(0);
    if (path && !(failed && saved == EFAULT)) {
        uint32_t entry = path_entry(AT_FDCWD, path, -1, failed);
        record_metadata(OP_READDIR, entry, failed, failed ? (uint64_t)saved : own->entries, start_ns, start_ns + took_ns);
    }
    errno = saved;
}
#define WALK(take_it, changes_folder, call)                                           \
    if (!has_metadata()) return call(take_it);                                        \
    struct walk own = {.take = (__typeof__(own.take))(void *)(take_it), .moves = changes_folder}, *outer = walk; \
    uint64_t start_ns = now();                                                        \
    walk = &own;                                                                      \
    int result = call(take_entry);                                                    \
    walk = outer;                                                                     \
    finish_walk(&own, path, result, start_ns);                                        \
    return result
#define CHANGES_FOLDER 4 /* FTW_CHDIR */
#define WRAP_WALK(name, called)                                                       \
    WRAP(int, name, (const char *path, void *take, int depth))                        \
    {                                                                                 \
        WALK(take, 0, called);                                                        \
    }
#define FTW(take) REAL(ftw)(path, take, depth)
#define FTW64(take) REAL(ftw64)(path, take, depth)
#define NFTW(take) REAL(nftw)(path, take, depth, flags)
#define NFTW64(take) REAL(nftw64)(path, take, depth, flags)
WRAP_WALK(ftw, FTW)
WRAP_WALK(ftw64, FTW64)
WRAP(int, nftw, (const char *path, void *take, int depth, int flags))
{
    WALK(take, flags & CHANGES_FOLDER, NFTW);
}
WRAP(int, nftw64, (const char *path, void *take, int depth, int flags))
{
    WALK(take, flags & CHANGES_FOLDER, NFTW64);
}

/* A walk of fts begins with its first look; it changes the working directory unless asked otherwise. */
static void *fts_opened(void *walked, char *const *paths, uint64_t start_ns)
{
    uint64_t took_ns = now() - start_ns;
    int saved = errno;
    if (walked && paths[0]) {
        add_listing(walked, path_entry(AT_FDCWD, paths[0], -1, 0));
        struct listing *one = listing_of(walked);
        if (one) {
            one->start_ns = start_ns;
            one->took_ns = took_ns;
        }
    }
    errno = saved;
    return walked;
}
#define LOOKS_BEYOND(walked, found, call)                                   \
    struct listing *one = has_metadata() ? listing_of(walked) : NULL;       \
    if (!one) return call;                                                  \
    uint64_t start_ns = now();                                              \
    __auto_type result = call;                                              \
    add_look(one, found, start_ns);                                         \
    moved_to_folder(0);                                                     \
    return result
#define WRAP_FTS(prefix)                                                                                             \
    WRAP(void *, prefix##_open, (char *const *paths, int how, int (*order)(const void *, const void *)))             \
    {                                                                                                                \
        if (!has_metadata()) return REAL(prefix##_open)(paths, how, order);                                          \
        uint64_t start_ns = now();                                                                                   \
        return fts_opened(REAL(prefix##_open)(paths, how, order), paths, start_ns);                                  \
    }                                                                                                                \
    WRAP_IN(void *, prefix##_read, (void *walked), (walked), LOOKS_BEYOND, walked, result != NULL)                   \
    WRAP_IN(void *, prefix##_children, (void *walked, int how), (walked, how), LOOKS_BEYOND, walked, 0)              \
    WRAP(int, prefix##_close, (void *walked))                                                                        \
    {                                                                                                                \
        struct listing *one = is_on() ? listing_of(walked) : NULL;                                                   \
        if (one) end_listing(one);                                                                                   \
        return moved_to_folder(REAL(prefix##_close)(walked));                                                        \
    }
WRAP_FTS(fts)
WRAP_FTS(fts64)
