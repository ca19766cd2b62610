/*
 * Files by name, for metadata calls. A name as the program gives it is hashed with the folder that it counts from, and
 * the hash leads to the number of the file; only a name that is new is resolved. The folder part of a name is resolved once:
 * names of one folder then cost no system call, and still are those that the kernel gives for open descriptors.
 * Part of recorder.c.
 */

/* Names of files without a read or write leave numbers for those with one. */
#define FILES_BY_NAME_MAX 49152
#define FOLDERS_TRIES 64

/* A folder by its true name; never freed, so that whoever has found it may keep it. */
struct folder {
    uint64_t key, salt, file_system;
    uint32_t length;
    char text[];
};

static inline uint64_t mix(uint64_t a)
{
    a ^= a >> 32;
    a *= 0x9e3779b97f4a7c15u;
    return a ^ a >> 29;
}
static uint64_t text_hash(const char *text, size_t length, uint64_t salt)
{
    uint64_t hash = salt ^ (length * 0xff51afd7ed558ccdu), word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        hash = mix(hash ^ word) * 0xc4ceb9fe1a85ec53u;
    }
    if (length > 0) {
        word = 0;
        memcpy(&word, text, length);
        hash = mix(hash ^ word) * 0xc4ceb9fe1a85ec53u;
    }
    hash = mix(hash);
    return hash | (hash == 0);
}

/* Takes "//", "." and ".." out of an absolute path, in place; the length. */
static size_t tidy_path(char *path)
{
    char *to = path;
    for (const char *at = path; *at;) {
        while (*at == '/') at++;
        size_t size = strcspn(at, "/");
        if (size == 2 && at[0] == '.' && at[1] == '.') {
            while (to > path && *--to != '/') {}
        } else if (size > 0 && !(size == 1 && at[0] == '.')) {
            *to++ = '/';
            memmove(to, at, size);
            to += size;
        }
        at += size;
    }
    if (to == path) *to++ = '/';
    *to = 0;
    return (size_t)(to - path);
}
static struct folder *keep_folder(uint64_t key, const char *text, size_t length, uint64_t file_system)
{
    struct process *p = process;
    uint64_t size = (sizeof(struct folder) + length + 1 + 7) & ~7ul;
    if (__atomic_load_n(&p->arena_used, __ATOMIC_RELAXED) + size > ARENA_BYTES) return NULL;
    uint64_t at = __atomic_fetch_add(&p->arena_used, size, __ATOMIC_RELAXED);
    if (at + size > ARENA_BYTES) return NULL;
    struct folder *one = (struct folder *)(p->arena + at);
    *one = (struct folder){.key = key, .salt = text_hash(text, length, 7), .file_system = file_system, .length = (uint32_t)length};
    memcpy(one->text, text, length + 1);
    for (uint64_t slot = key, tries = 0; tries < FOLDERS_TRIES; slot++, tries++) {
        struct folder *nobody = NULL;
        if (__atomic_compare_exchange_n(&p->folders[slot % FOLDERS_MAX], &nobody, one, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) break;
    }
    return one;
}

/* What the kernel calls an existing folder, and its file system. */
static size_t true_name(const char *path, char *into, uint64_t *file_system)
{
    struct stat st;
    int fd = setup.sandboxed ? -1 : raw_open(path, O_PATH | O_DIRECTORY, 0);
    if (fd < 0) return 0;
    ssize_t length = read_fd_link(fd, into, PATH_MAX);
    *file_system = length > 0 && own_fstat(fd, &st) == 0 && !is_left_out(into, 0) ? file_system_of(fd, &st, into) : 0;
    raw_close(fd);
    return length > 0 && into[0] == '/' ? (size_t)length : 0;
}
/* One that is not there, or cannot be kept, is not: NULL; its name then is in `tidied`. */
static struct folder *folder_of(const struct folder *base, const char *path, size_t length, char *tidied)
{
    struct process *p = process;
    uint64_t key = text_hash(path, length, base ? base->salt : 1);
    for (uint64_t slot = key, tries = 0; tries < FOLDERS_TRIES; slot++, tries++) {
        struct folder *there = __atomic_load_n(&p->folders[slot % FOLDERS_MAX], __ATOMIC_ACQUIRE);
        if (!there) break;
        if (there->key == key) return there;
    }
    char found[PATH_MAX], text[PATH_MAX];
    uint64_t file_system = 0;
    const char *from = base ? base->text : "/";
    size_t base_length = length > 0 && path[0] == '/' ? 0 : strlen(from);
    if (base_length + length + 2 > sizeof text) return NULL;
    /* As given: ".." behind a symbolic link leads elsewhere than the text says. */
    memcpy(text, from, base_length);
    text[base_length] = '/';
    memcpy(text + base_length + 1, path, length);
    text[base_length + 1 + length] = 0;
    size_t size = true_name(text, found, &file_system);
    if (size > 0) {
        struct folder *kept = keep_folder(key, found, size, file_system);
        if (kept) return kept;
        memcpy(tidied, found, size + 1);
        return NULL;
    }
    memcpy(tidied, text, base_length + length + 2);
    tidy_path(tidied);
    return NULL;
}

/* The working directory; looked up again after it changes. */
SLOW static const struct folder *find_working_folder(void)
{
    char text[PATH_MAX], unused[PATH_MAX];
    long length = setup.sandboxed ? -1 : RAW(SYS_getcwd, text, sizeof text, 0, 0, 0, 0);
    if (length <= 1 || text[0] != '/') length = 1 + snprintf(text, sizeof text, "/(unknown folder)");
    const struct folder *found = folder_of(NULL, text, (size_t)length - 1, unused);
    if (!found) found = keep_folder(text_hash(text, (size_t)length - 1, 3), text, (size_t)length - 1, 0);
    __atomic_store_n(&process->working, found, __ATOMIC_RELEASE);
    return found;
}
static inline const struct folder *working_folder(void)
{
    const struct folder *known = __atomic_load_n(&process->working, __ATOMIC_ACQUIRE);
    return LIKELY(known != NULL) ? known : find_working_folder();
}

/* The file that a path means, with the checks that lead to FD_SKIP. `opened` is its descriptor, or -1. */
static uint32_t entry_of_name(const char *path, size_t length, uint64_t file_system)
{
    if (is_left_out(path, 0)) return FD_KNOWN | FD_SKIP | (uint32_t)(text_hash(path, length, 0) & 0xffff);
    if (__atomic_load_n(&process->files, __ATOMIC_RELAXED) >= FILES_BY_NAME_MAX) {
        unsigned known = known_file_id(path, length);
        if (known != 0) return FD_KNOWN | known;
        if (process->header) __atomic_fetch_add(&process->header->files_other, 1, __ATOMIC_RELAXED);
        return FD_KNOWN | FILE_OTHER;
    }
    return FD_KNOWN | file_id(path, length, 0, file_system, 0);
}
static uint32_t resolve_opened(int fd)
{
    struct stat st;
    char path[PATH_MAX];
    ssize_t length = own_fstat(fd, &st) == 0 ? read_fd_link(fd, path, sizeof path) : 0;
    if (length <= 0 || path[0] != '/') return 0;
    length = (ssize_t)without_deleted(path, (size_t)length, &st);
    return entry_of_name(path, (size_t)length, is_left_out(path, 0) ? 0 : file_system_of(fd, &st, path));
}
static uint32_t resolve_by_folder(const struct folder *base, const char *path, size_t length)
{
    char text[PATH_MAX];
    size_t name = length;
    while (name > 0 && path[name - 1] != '/') name--;
    const char *last = path + name;
    size_t last_length = length - name;
    int whole = last_length == 0 || !strcmp(last, ".") || !strcmp(last, "..");
    const struct folder *folder = folder_of(base, path, whole ? length : name, text);
    if (folder) {
        if (folder->length + last_length + 2 > sizeof text) return FD_KNOWN | FILE_UNKNOWN;
        memcpy(text, folder->text, folder->length + 1);
    }
    size_t size = strlen(text);
    if (!whole) {
        if (size + last_length + 2 > sizeof text) return FD_KNOWN | FILE_UNKNOWN;
        if (size > 1) text[size++] = '/';
        memcpy(text + size, last, last_length + 1);
        size += last_length;
    }
    return entry_of_name(text, size, folder ? folder->file_system : 0);
}

static uint32_t described(int fd);

/* What a relative name counts from: a salt for hashes, and the folder when that is needed. */
static uint64_t salt_of(int from, const char *path)
{
    if (path[0] == '/') return 1;
    if (from == AT_FDCWD) {
        const struct folder *working = working_folder();
        return working ? working->salt : 3;
    }
    return mix((uint64_t)described(from) + 5);
}
SLOW static uint32_t resolve_path(int from, const char *path, size_t length, int opened)
{
    char text[PATH_MAX], unused[PATH_MAX];
    if (length >= PATH_MAX) return FD_KNOWN | FILE_UNKNOWN;
    enter_process();
    if (opened >= 0 && !setup.sandboxed) {
        uint32_t entry = resolve_opened(opened);
        if (entry) return entry;
    }
    if (path[0] == '/') return resolve_by_folder(NULL, path, length);
    if (from == AT_FDCWD) return resolve_by_folder(working_folder(), path, length);
    ssize_t size = setup.sandboxed ? 0 : read_fd_link(from, text, sizeof text);
    if (size <= 0 || text[0] != '/') return FD_KNOWN | FILE_UNKNOWN;
    const struct folder *base = folder_of(NULL, text, (size_t)size, unused);
    return base ? resolve_by_folder(base, path, length) : FD_KNOWN | FILE_UNKNOWN;
}

/* Shells look for a program in all folders of PATH: a name that is not there is none of the program's files. */
static int is_program_search(const char *path, size_t length)
{
    const char *name = memrchr(path, '/', length), *places = getenv("PATH");
    if (path[0] != '/' || name == path || !places) return 0;
    size_t size = (size_t)(name - path);
    for (const char *at = places; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL)
        if (strcspn(at, ":") == size && strncmp(at, path, size) == 0) return 1;
    return 0;
}

/* The entry of a name, FD_KNOWN at least. `opened` is the descriptor that the call gave for it, or -1. */
static uint32_t path_entry(int from, const char *path, int opened, int failed)
{
    struct process *p = process;
    size_t length = strlen(path);
    uint64_t hash = text_hash(path, length, salt_of(from, path));
    for (uint64_t at = hash, tries = 0; tries < 32; at++, tries++) {
        struct known_path *one = &p->paths[at % PATHS_MAX];
        uint64_t there = __atomic_load_n(&one->hash, __ATOMIC_ACQUIRE);
        if (there == hash) {
            uint32_t entry = __atomic_load_n(&one->entry, __ATOMIC_ACQUIRE);
            /* Another thread is at it. */
            return entry ? entry : resolve_path(from, path, length, opened);
        }
        if (there != 0) continue;
        if (failed && !setup.all && is_program_search(path, length)) return FD_KNOWN | FD_SKIP;
        uint32_t entry = resolve_path(from, path, length, opened);
        if (__atomic_compare_exchange_n(&one->hash, &there, hash, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            __atomic_store_n(&one->entry, entry, __ATOMIC_RELEASE);
        return entry;
    }
    return resolve_path(from, path, length, opened);
}

/* ---- descriptors in metadata calls --------------------------------------------------------------------------------- */

static inline int in_table(int fd)
{
    return (unsigned)fd < FDS_MAX;
}
/* What is known of a descriptor without a look: by its reads and writes, or by the call that opened it. */
static inline uint32_t noted(int fd)
{
    uint32_t entry = known_entry(fd);
    if (entry & FD_KNOWN) return entry;
    return in_table(fd) ? process->fd_names[fd] : 0;
}
static void note_descriptor(int fd, uint32_t entry)
{
    if (!in_table(fd)) return;
    process->fd_names[fd] = entry;
    if ((unsigned)fd > process->fd_highest) process->fd_highest = (unsigned)fd;
}
SLOW static uint32_t describe(int fd)
{
    struct stat st;
    int saved = errno;
    uint32_t entry = FD_KNOWN | FD_SKIP;
    if (setup.sandboxed) return entry;
    enter_process();
    if (own_fstat(fd, &st) != 0) entry = 0;
    else if (S_ISDIR(st.st_mode)) entry = resolve_opened(fd);
    else entry = look_up(fd);
    if (entry) note_descriptor(fd, entry);
    errno = saved;
    return entry;
}
/* 0 when it is not open. */
static uint32_t described(int fd)
{
    uint32_t entry = noted(fd);
    return LIKELY(entry & FD_KNOWN) ? entry : describe(fd);
}
