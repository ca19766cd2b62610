/*
 * Buffered streams: fprintf, fgets, getc, fread and all others, also inlined ones, reach the kernel through a table of functions
 * that libc keeps for its file streams. Five entries of that table are replaced by ours, in place: what the stream reads and
 * writes is recorded, and a call that stays within its buffer costs nothing. Where the table does not look as expected nothing
 * is changed, fread and fwrite are recorded by themselves and other uses of streams are told of. Part of recorder.c.
 */

/* Entries of the table; libc has not changed them since version 2.1. */
enum { SLOT_READ = 14, SLOT_WRITE, SLOT_SEEK, SLOT_CLOSE, SLOT_STAT, SLOTS = 21 };

static ssize_t (*stream_real_read)(FILE *, void *, ssize_t);
static ssize_t (*stream_real_write)(FILE *, const void *, ssize_t);
static off64_t (*stream_real_seek)(FILE *, off64_t, int);
static int (*stream_real_close)(FILE *);
static int (*stream_real_stat)(FILE *, void *);
static void **stream_tables[2];

static ssize_t stream_read(FILE *stream, void *buffer, ssize_t size)
{
    TIMED(OP_STREAM_READ, 0, stream->_fileno, (uint64_t)size, stream_real_read(stream, buffer, size));
}
/* Goes on until all is written; what it gives after a failure is how far it came. */
static ssize_t stream_write(FILE *stream, const void *buffer, ssize_t size)
{
    struct span span;
    if (!begin(&span, stream->_fileno)) return counted_write(stream_real_write(stream, buffer, size));
    int fd = stream->_fileno;
    move_begins(&span, fd);
    ssize_t result = stream_real_write(stream, buffer, size);
    int64_t moved = result > 0 || size == 0 ? result : -1;
    finish_at(&span, OP_STREAM_WRITE, FLAG_WRITE, (uint64_t)size, moved, move_ends(&span, fd, 1, moved));
    return result;
}
static off64_t stream_seek(FILE *stream, off64_t to, int from)
{
    if (!is_on()) return stream_real_seek(stream, to, from);
    struct span span;
    uint64_t start_ns = now();
    seek_begins(&span, stream->_fileno);
    off64_t result = stream_real_seek(stream, to, from);
    seek_ends(&span, result);
    if (setup.metadata) finish_descriptor(OP_FSEEK, stream->_fileno, result < 0, 0, start_ns);
    return result;
}
static int stream_stat(FILE *stream, void *st)
{
    BY_FD(OP_FSTAT, stream->_fileno, stream_real_stat(stream, st));
}
static int stream_close(FILE *stream)
{
    int fd = stream->_fileno;
    uint32_t entry = has_metadata() ? noted(fd) : 0;
    /* What open gave, and fdopen took over, is closed where it was opened. */
    unsigned op = in_table(fd) && is_on() && (process->fd_names[fd] & FD_STREAM) ? OP_FCLOSE : OP_CLOSE;
    forget(fd);
    if (!(entry & FD_KNOWN)) return stream_real_close(stream);
    uint64_t start_ns = now();
    int result = stream_real_close(stream), saved = errno;
    record_metadata(op, entry, result < 0, result < 0 ? (uint64_t)saved : 0, start_ns, now());
    errno = saved;
    return result;
}

static int is_expected_table(void *const *table)
{
    return table && table[SLOT_READ] == (void *)stream_real_read && table[SLOT_WRITE] == (void *)stream_real_write &&
           table[SLOT_SEEK] == (void *)stream_real_seek && table[SLOT_CLOSE] == (void *)stream_real_close &&
           table[SLOT_STAT] == (void *)stream_real_stat;
}
/* The table lies in memory that the loader has made read-only. Other threads see an old or a new entry. */
static int patch_table(void **table)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)table & ~(page - 1);
    size_t size = (((uintptr_t)(table + SLOTS) + page - 1) & ~(page - 1)) - from;
    if (RAW(SYS_mprotect, from, size, PROT_READ | PROT_WRITE, 0, 0, 0) != 0) return 0;
    __atomic_store_n(&table[SLOT_READ], (void *)stream_read, __ATOMIC_RELEASE);
    __atomic_store_n(&table[SLOT_WRITE], (void *)stream_write, __ATOMIC_RELEASE);
    __atomic_store_n(&table[SLOT_SEEK], (void *)stream_seek, __ATOMIC_RELEASE);
    __atomic_store_n(&table[SLOT_CLOSE], (void *)stream_close, __ATOMIC_RELEASE);
    __atomic_store_n(&table[SLOT_STAT], (void *)stream_stat, __ATOMIC_RELEASE);
    RAW(SYS_mprotect, from, size, PROT_READ, 0, 0, 0);
    return 1;
}
static void patch_streams(void)
{
    void **plain = dlsym(RTLD_NEXT, "_IO_file_jumps"), **wide = dlsym(RTLD_NEXT, "_IO_wfile_jumps");
    const char *standard = dlsym(RTLD_NEXT, "_IO_2_1_stdout_");
    *(void **)&stream_real_read = dlsym(RTLD_NEXT, "_IO_file_read");
    *(void **)&stream_real_write = dlsym(RTLD_NEXT, "_IO_file_write");
    *(void **)&stream_real_seek = dlsym(RTLD_NEXT, "_IO_file_seek");
    *(void **)&stream_real_close = dlsym(RTLD_NEXT, "_IO_file_close");
    *(void **)&stream_real_stat = dlsym(RTLD_NEXT, "_IO_file_stat");
    if (!standard || !stream_real_read || !is_expected_table(plain) || !is_expected_table(wide)) return;
    /* The table of a stream stands right behind it. */
    if (*(void *const *)(standard + sizeof(FILE)) != (void *)plain) return;
    if (!patch_table(plain)) return;
    stream_tables[0] = plain;
    if (patch_table(wide)) stream_tables[1] = wide;
    streams_patched = 1;
}
/* Whether its close comes by us; not so for pipes, memory and what the program itself has below a stream. */
static int has_our_table(FILE *stream)
{
    void *table = *(void **)((char *)stream + sizeof(FILE));
    return streams_patched && table && (table == (void *)stream_tables[0] || table == (void *)stream_tables[1]);
}

/* From version 2.37 of libc on these write without a stream. */
static int prints_directly(void)
{
    static int known;
    if (!known) {
        int major = 0, minor = 0;
        sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor);
        known = major > 2 || minor >= 37 ? 2 : 1;
    }
    return known == 2;
}
static int print_to(int (*print)(int, int, const char *, va_list), int fd, int checked, const char *format, va_list list)
{
    struct span span;
    if (!is_on() || !prints_directly() || !begin(&span, fd)) return print(fd, checked, format, list);
    move_begins(&span, fd);
    int result = print(fd, checked, format, list);
    finish_at(&span, OP_WRITE, FLAG_WRITE, result < 0 ? 0 : (uint64_t)result, result < 0 ? -1 : result,
              move_ends(&span, fd, 1, result < 0 ? -1 : result));
    return result;
}
static int (*real_vdprintf)(int fd, const char *format, va_list list);
static int (*real___vdprintf_chk)(int fd, int checked, const char *format, va_list list);
static int print_plain(int fd, int checked, const char *format, va_list list)
{
    (void)checked;
    return REAL(vdprintf)(fd, format, list);
}
static int print_checked(int fd, int checked, const char *format, va_list list)
{
    return REAL(__vdprintf_chk)(fd, checked, format, list);
}
EXPORT int vdprintf(int fd, const char *format, va_list list)
{
    return print_to(print_plain, fd, 0, format, list);
}
EXPORT int __vdprintf_chk(int fd, int checked, const char *format, va_list list)
{
    return print_to(print_checked, fd, checked, format, list);
}
EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = vdprintf(fd, format, list);
    va_end(list);
    return result;
}
EXPORT int __dprintf_chk(int fd, int checked, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int result = __vdprintf_chk(fd, checked, format, list);
    va_end(list);
    return result;
}
