/*
 * Where the file system of a file is mounted, and its type as mount calls it: looked for in /proc/self/mountinfo once per
 * device. Part of recorder.c.
 */

/* A path there has blanks and the like as three octal digits; it ends at a blank. The length of the text. */
static size_t take_mount_path(const char **at, char *into, size_t room)
{
    size_t length = 0;
    while (**at && **at != ' ' && length + 1 < room) {
        const char *c = *at;
        int is_octal = c[0] == '\\' && c[1] >= '0' && c[1] <= '3' && c[2] && c[3];
        into[length++] = is_octal ? (char)((c[1] - '0') << 6 | (c[2] - '0') << 3 | (c[3] - '0')) : c[0];
        *at += is_octal ? 4 : 1;
    }
    into[length] = 0;
    return length;
}
struct mount {
    /* 2: of this device; 1: only above this path. */
    int fits;
    size_t length;
    char text[PATH_MAX + 64]; /* type, a tab, path */
};
/* `ID PARENT MAJOR:MINOR ROOT PATH OPTIONS … - TYPE SOURCE OPTIONS`; the longest path that leads to the file counts. */
static void judge_mount(const char *line, uint64_t device, const char *path, struct mount *best)
{
    char *at;
    char mounted[PATH_MAX];
    strtoul(line, &at, 10);
    strtoul(at, &at, 10);
    unsigned long major_number = strtoul(at, &at, 10);
    unsigned long minor_number = *at == ':' ? strtoul(at + 1, &at, 10) : 0;
    const char *rest = *at == ' ' ? strchr(at + 1, ' ') : NULL;
    if (!rest) return;
    rest++;
    size_t length = take_mount_path(&rest, mounted, sizeof mounted);
    const char *type = strstr(rest, " - ");
    if (!type || length == 0 || !is_below(path, mounted, length)) return;
    type += 3;
    int fits = makedev(major_number, minor_number) == device ? 2 : 1;
    /* Later ones lie above earlier ones. */
    if (fits < best->fits || (fits == best->fits && length < best->length)) return;
    best->fits = fits;
    best->length = length;
    snprintf(best->text, sizeof best->text, "%.*s\t%s", (int)strcspn(type, " "), type, mounted);
}
SLOW static void find_mount(unsigned number, uint64_t device, const char *path)
{
    char lines[8192];
    struct mount best = {0};
    size_t filled = 0;
    int fd = raw_open("/proc/self/mountinfo", O_RDONLY, 0);
    if (fd < 0) return;
    for (long got; (got = raw_read(fd, lines + filled, sizeof lines - 1 - filled)) > 0;) {
        /* The kernel counts these as the program's. */
        __atomic_fetch_add(&process->other_read, (uint64_t)got, __ATOMIC_RELAXED);
        filled += (size_t)got;
        lines[filled] = 0;
        char *line = lines;
        for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            judge_mount(line, device, path, &best);
        }
        filled -= (size_t)(line - lines);
        memmove(lines, line, filled);
        /* No line is that long but one of many layers, of which the rest is not needed. */
        if (filled >= sizeof lines - 1) filled = 0;
    }
    raw_close(fd);
    if (best.fits) put_text(OP_MOUNT, number, best.text, strlen(best.text), device, 0, 0);
}
/* A number for the mount of a device, 0 for none. */
static unsigned mount_of(uint64_t device, const char *path)
{
    for (unsigned i = 0; i < MOUNTS_MAX; i++) {
        uint64_t there = __atomic_load_n(&process->mounts[i], __ATOMIC_ACQUIRE);
        if (there == device + 1) return i + 1;
        if (there != 0) continue;
        if (!__atomic_compare_exchange_n(&process->mounts[i], &there, device + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            i--;
            continue;
        }
        if (!setup.sandboxed) find_mount(i + 1, device, path);
        return i + 1;
    }
    return 0;
}
/* Type by statfs, and above it the number of the mount. */
static uint64_t file_system_of(int fd, const struct stat *st, const char *path)
{
    struct statfs fs;
    uint64_t type = RAW(SYS_fstatfs, fd, &fs, 0, 0, 0, 0) == 0 ? (uint32_t)fs.f_type : 0;
    return type | (uint64_t)(path[0] == '/' ? mount_of(st->st_dev, path) : 0) << 32;
}
