/*
 * Records the reads and writes of the program that it is loaded into (LD_PRELOAD), one 32-byte record each, in a file
 * per process. Off unless PLIMSOLL_RECORD names the folder of the trace. docs/record.md says what is seen and what not,
 * docs/formats/trace.md how the file is laid out.
 *
 * Rules that hold everywhere below:
 *   - the program gets the results, errno and signals that it would get without us;
 *   - no lock is held and no descriptor stays open while the program runs, so a signal handler, a fork in another thread
 *     or a program that closes everything finds us in order;
 *   - space for records is allocated before it is mapped: a full disk costs records (counted), never the program; and where
 *     somebody truncates the file, the SIGBUS is caught and records go nowhere;
 *   - records are in a shared mapping, so they outlive the process however it ends.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <aio.h>
#include <alloca.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

/* Numbers that older headers do not have; they are the same on all machines. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

/* Macros in stdio.h of some libraries. */
#undef fread_unlocked
#undef fwrite_unlocked

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#define SYS_io_uring_register 427
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EXPORT __attribute__((visibility("default")))
#define SLOW __attribute__((noinline, cold))
/* Headers promise that some arguments are not NULL, and the compiler would take our checks out. */
#define MAY_BE_NULL(pointer) __asm__("" : "+r"(pointer))

/* ---- the trace file ------------------------------------------------------------------------------------------- */

#define FORMAT_VERSION 2
#define HEADER_BYTES 4096
#define RECORD_BYTES 32

/* Kinds of records; the reader knows the same numbers (src/formats/trace/layout.ts). */
enum op {
    OP_READ = 1, OP_PREAD, OP_READV, OP_PREADV, OP_FREAD, OP_SENDFILE_READ, OP_COPY_READ, OP_SPLICE_READ,
    OP_AIO_READ, OP_STREAM_READ, OP_LIBAIO_READ, OP_URING_READ,
    OP_WRITE = 17, OP_PWRITE, OP_WRITEV, OP_PWRITEV, OP_FWRITE, OP_SENDFILE_WRITE, OP_COPY_WRITE, OP_SPLICE_WRITE,
    OP_AIO_WRITE, OP_STREAM_WRITE, OP_LIBAIO_WRITE, OP_URING_WRITE,
    OP_MPI_READ = 33, OP_MPI_READ_AT, OP_MPI_READ_ALL, OP_MPI_READ_AT_ALL, OP_MPI_READ_SHARED, OP_MPI_READ_ORDERED,
    OP_MPI_WRITE = 49, OP_MPI_WRITE_AT, OP_MPI_WRITE_ALL, OP_MPI_WRITE_AT_ALL, OP_MPI_WRITE_SHARED,
    OP_MPI_WRITE_ORDERED,
    OP_SYNC = 64, OP_MAP = 65,
    OP_OPEN = 66, OP_CLOSE, OP_SEEK, OP_STAT, OP_ACCESS, OP_READLINK, OP_STATFS,
    OP_UNLINK = 73, OP_RENAME, OP_MKDIR, OP_RMDIR, OP_LINK, OP_SYMLINK, OP_MKNOD,
    OP_TRUNCATE = 80, OP_ALLOCATE, OP_ATTRIBUTES, OP_READDIR, OP_ADVISE,
    OP_FOPEN = 90, OP_FCLOSE, OP_FSEEK, OP_FSTAT,
    OP_MOUNT = 252, OP_MOVED = 253, OP_NAME = 254, OP_NAME_PART = 255
};

enum flag {
    FLAG_WRITE = 1, FLAG_NESTED = 2, FLAG_ERROR = 4, FLAG_DIRECT = 8, FLAG_NONFILE = 16,
    FLAG_SHORT = 32, /* a record of kind OP_MOVED follows with what came back */
    FLAG_OUTER = 64, /* nested accesses were recorded within */
    FLAG_APPENDED = 128
};

enum header_flag { HEADER_ENDED = 1, HEADER_DELAY = 2, HEADER_SANDBOX = 4, HEADER_ALL = 8, HEADER_FULL = 16, HEADER_STRICT = 32 };

struct record {
    uint32_t thread;
    uint8_t op, flags;
    uint16_t file;
    uint64_t bytes, start_ns, end_ns;
};
_Static_assert(sizeof(struct record) == RECORD_BYTES, "records have 32 bytes");

struct header {
    char magic[8];
    uint32_t version, byte_order, header_bytes, record_bytes;
    uint64_t count, capacity, dropped, skipped, files_other;
    uint32_t pid, ppid;
    int32_t rank;
    uint32_t flags;
    uint64_t start_monotonic, start_realtime, start_spread;
    uint64_t end_monotonic, end_realtime, end_spread;
    int64_t realtime_offset;
    uint64_t unfinished;
    char boot[40];
    uint64_t skipped_metadata;
    uint32_t ranks; /* of the job; 0 when not known */
    char reserved[60];
    char host[256];
    char comm[64];
    char command[1024];
};
_Static_assert(offsetof(struct header, host) == 256, "layout of the header");

#define HEADER_SLOTS (HEADER_BYTES / RECORD_BYTES)
/* What is there at once: header and 3968 records; then 2 MiB at a time. */
#define FIRST_SLOTS 4096
#define CHUNK_SHIFT 16
#define CHUNK_SLOTS (1u << CHUNK_SHIFT)
#define CHUNKS_MAX 65536
#define FILE_UNKNOWN 0
#define FILE_OTHER 65535
#define FILES_MAX 65534

/* ---- state ---------------------------------------------------------------------------------------------------- */

/* Of a descriptor: the id of its file below, and these. */
#define FD_KNOWN (1u << 16)
#define FD_SKIP (1u << 17)
#define FD_DIRECT (1u << 18)
#define FD_NONFILE (1u << 19)
#define FD_LOST (1u << 20) /* cannot be looked up any more */
#define FD_STREAM (1u << 21) /* opened by fopen */
#define FD_APPEND (1u << 22)
#define FD_DEVICE_SHIFT 24
#define FD_DEVICE_MASK (31u << FD_DEVICE_SHIFT)
#define FDS_MAX (1u << 20)
#define NAMES_MAX (1u << 17)
/* Open streams that are looked at when the program ends. */
#define STREAMS_MAX 64
#define PATHS_MAX (1u << 18)
#define FOLDERS_MAX (1u << 16)
#define ARENA_BYTES (8ul << 20)

/* Positions that duplicated descriptors share. */
#define CELLS_MAX (1u << 16)
#define RINGS_MAX 1024
#define STRANGE_RINGS_MAX 16
#define MOUNTS_MAX 256

struct ring;
struct folder;
struct known_path {
    uint64_t hash;
    uint32_t entry;
};

/*
 * All that belongs to one process. The kernel hands a zeroed copy to a forked child, which thereby starts a trace of its
 * own at its first access; pages that nobody touches cost nothing.
 */
struct process {
    struct header *header;
    struct record *first;
    int32_t pid;
    int opening;
    uint32_t files, fd_highest;
    uint32_t streams_told, stream_moves;
    uint64_t early_drops;
    /* Bytes of calls that were seen and left out, and how many of them the totals of the run have. */
    uint64_t other_read, other_written, told_read, told_written;
    int ended;
    FILE *streams[STREAMS_MAX];
    char path[PATH_MAX + 128];
    struct record *chunks[CHUNKS_MAX];
    uint32_t fds[FDS_MAX];
    uint64_t name_hashes[NAMES_MAX];
    uint16_t name_ids[NAMES_MAX];
    /* Where the stream of a descriptor would be had it only been used in ways we see, and 1; 0: it is not watched. */
    uint64_t stream_seen[FDS_MAX];
    /* Of metadata calls (recorder-paths.h). */
    const struct folder *working;
    uint64_t arena_used;
    uint32_t fd_names[FDS_MAX];
    /* Of positions (recorder-positions.h): by descriptor, then by number of those that are shared. 0: not known, else and 1. */
    uint64_t positions[FDS_MAX + CELLS_MAX];
    uint64_t position_uses[FDS_MAX + CELLS_MAX];
    /* Writes to the end, up to APPENDS_KEPT and then by turns. */
    uint8_t appends[FDS_MAX + CELLS_MAX];
    uint32_t fd_cells[FDS_MAX], fd_epochs[FDS_MAX];
    uint32_t cells, epoch;
    /* Of io_uring (recorder-uring.h). */
    struct ring *rings[RINGS_MAX];
    unsigned ring_highest;
    /* Descriptors that were looked at since nothing seen has made them, and those that are rings which no call has named yet. */
    uint8_t fd_looked[FDS_MAX];
    int32_t strange_rings[STRANGE_RINGS_MAX];
    uint32_t strange_ring_count;
    /* Devices whose mount is in the trace, and 1 (recorder-mounts.h). */
    uint64_t mounts[MOUNTS_MAX];
    struct known_path paths[PATHS_MAX];
    struct folder *folders[FOLDERS_MAX];
    char arena[ARENA_BYTES] __attribute__((aligned(8)));
};

enum mode { MODE_UNSET, MODE_OFF, MODE_ON };
static int mode;
static struct process *process;

#define FILTERS_MAX 64
#define DEVICES_MAX 16
#define CHANNELS_MAX 32
struct device {
    const char *path;
    size_t path_length;
    uint64_t latency_ns;
    double ns_per_byte;
    unsigned channels; /* 0: any number at once */
};
static struct {
    char folder[PATH_MAX], text[32768], delay_text[4096];
    char *only[FILTERS_MAX], *skip[FILTERS_MAX], *system[FILTERS_MAX];
    unsigned only_count, skip_count, system_count, device_count;
    int all, metadata, streams, rank, ranks, sandboxed;
    uint64_t limit;
    struct device devices[DEVICES_MAX];
    uint64_t (*device_free_at)[CHANNELS_MAX];
    char preload[PATH_MAX + 16], variable[PATH_MAX + 32];
} setup;

static __thread struct {
    int32_t owner;
    uint32_t id, inner;
    int timer_set, busy;
    int bus_blocked; /* the program believes that SIGBUS is blocked */
    const char *outer_frame;
} thread __attribute__((tls_model("initial-exec")));

/* ---- system calls of our own ----------------------------------------------------------------------------------- */

/* Below libc: no cancellation points, and nothing that another preloaded library wraps. */
static long raw(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#else
#error "the recorder knows x86-64 and aarch64"
#endif
}
#define RAW(number, a, b, c, d, e, f) \
    raw(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static int raw_open(const char *path, int flags, int permissions)
{
    return (int)RAW(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, permissions, 0, 0);
}
static long raw_read(int fd, void *buffer, size_t size)
{
    return RAW(SYS_read, fd, buffer, size, 0, 0, 0);
}
static void raw_close(int fd)
{
    RAW(SYS_close, fd, 0, 0, 0, 0, 0);
}
static void *raw_map(size_t size, int protection, int flags, int fd, uint64_t offset)
{
    long at = RAW(SYS_mmap, 0, size, protection, flags, fd, offset);
    return at < 0 && at > -4096 ? NULL : (void *)at;
}

static int own_fstat(int fd, struct stat *st)
{
    return RAW(SYS_fstat, fd, st, 0, 0, 0, 0) == 0 ? 0 : -1;
}

/* The whole of a small file, as text; the length, or -1. */
static long slurp(const char *path, char *buffer, size_t size)
{
    int fd = raw_open(path, O_RDONLY, 0);
    if (fd < 0) return -1;
    size_t filled = 0;
    while (filled < size - 1) {
        long count = raw_read(fd, buffer + filled, size - 1 - filled);
        if (count <= 0) break;
        filled += (size_t)count;
    }
    raw_close(fd);
    buffer[filled] = 0;
    return (long)filled;
}

static inline uint64_t nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static inline uint64_t now(void)
{
    return nanoseconds(CLOCK_MONOTONIC);
}

/* Both clocks at one moment: the closest of a few tries, since we can be interrupted between two looks. */
static void clock_pair(uint64_t *monotonic, uint64_t *realtime, uint64_t *spread)
{
    *spread = UINT64_MAX;
    for (int i = 0; i < 7; i++) {
        uint64_t before = now(), real = nanoseconds(CLOCK_REALTIME), gap = now() - before;
        if (gap >= *spread) continue;
        *spread = gap;
        *monotonic = before + gap / 2;
        *realtime = real;
    }
}

SLOW static void *resolve(void **real, const char *name)
{
    return *real = dlsym(RTLD_NEXT, name);
}

/* `WRAP(type, name, (parameters))` declares what was there before us; `REAL(name)` calls it. */
#define WRAP(type, name, parameters)  \
    static type(*real_##name) parameters; \
    EXPORT type name parameters
#define REAL(name) \
    ((__typeof__(real_##name))(LIKELY(real_##name != NULL) ? (void *)real_##name : resolve((void **)&real_##name, #name)))
/* The same within `how`, a macro whose last argument is the call. */
#define WRAP_IN(type, name, parameters, arguments, how, ...) \
    WRAP(type, name, parameters) { how(__VA_ARGS__, REAL(name) arguments); }

static int own_euidaccess(const char *path, int how)
{
    static int (*real)(const char *, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "euidaccess");
    return real ? real(path, how) : -1;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* `*` is any text with slashes, `?` any character; a pattern with neither names a file or a folder and all below it. */
static int glob_matches(const char *pattern, const char *path)
{
    const char *star = NULL, *resume = NULL;
    while (*path) {
        if (*pattern == '*') {
            star = pattern++;
            resume = path;
        } else if (*pattern == '?' || *pattern == *path) {
            pattern++;
            path++;
        } else if (star) {
            pattern = star + 1;
            path = ++resume;
        } else {
            return 0;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}
static int is_below(const char *path, const char *folder, size_t length)
{
    return strncmp(path, folder, length) == 0 &&
           (path[length] == 0 || path[length] == '/' || (length > 0 && folder[length - 1] == '/'));
}
static int path_matches(const char *pattern, const char *path)
{
    return strpbrk(pattern, "*?") ? glob_matches(pattern, path) : is_below(path, pattern, strlen(pattern));
}

static int is_system_path(const char *path, int is_block_device)
{
    if (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) return !is_block_device;
    for (unsigned i = 0; i < setup.system_count; i++)
        if (path_matches(setup.system[i], path)) return 1;
    return 0;
}
static int is_left_out(const char *path, int is_block_device)
{
    for (unsigned i = 0; i < setup.skip_count; i++)
        if (path_matches(setup.skip[i], path)) return 1;
    for (unsigned i = 0; i < setup.only_count; i++)
        if (path_matches(setup.only[i], path)) return 0;
    if (setup.only_count > 0) return 1;
    return !setup.all && is_system_path(path, is_block_device);
}

/* A number with a unit: the factor of the unit that follows, or 0. */
static double read_quantity(const char *text, const char *units[], const double factors[])
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || value < 0) return -1;
    for (int i = 0; units[i]; i++)
        if (strcmp(end, units[i]) == 0) return value * factors[i];
    return -1;
}
static double read_nanoseconds(const char *text)
{
    static const char *units[] = {"ns", "us", "ms", "s", "", NULL};
    static const double factors[] = {1, 1e3, 1e6, 1e9, 1};
    return read_quantity(text, units, factors);
}
static double read_bytes_per_second(const char *text)
{
    static const char *units[] = {"B/s",   "kB/s",  "KB/s",  "MB/s", "GB/s",       "KiB/s",
                                  "MiB/s", "GiB/s", "",      NULL};
    static const double factors[] = {1, 1e3, 1e3, 1e6, 1e9, 1024, 1024 * 1024, 1024.0 * 1024 * 1024, 1};
    return read_quantity(text, units, factors);
}

/* `latency=200us,bandwidth=100MB/s,concurrency=1,path=/prefix`; several devices are separated by `;`. */
static void read_delays(char *text)
{
    char *rest_devices = text, *spec;
    while ((spec = strsep(&rest_devices, ";")) != NULL && setup.device_count < DEVICES_MAX) {
        struct device one = {.path = "", .channels = 1};
        char *rest = spec, *item;
        int fine = *spec != 0;
        while ((item = strsep(&rest, ",")) != NULL) {
            double number = 0;
            if (strncmp(item, "latency=", 8) == 0) {
                number = read_nanoseconds(item + 8);
                one.latency_ns = number > 0 ? (uint64_t)number : 0;
            } else if (strncmp(item, "bandwidth=", 10) == 0) {
                number = read_bytes_per_second(item + 10);
                one.ns_per_byte = number > 0 ? 1e9 / number : 0;
            } else if (strncmp(item, "concurrency=", 12) == 0) {
                one.channels = strcmp(item + 12, "n") == 0 ? 0 : (unsigned)atoi(item + 12);
                if (one.channels > CHANNELS_MAX) one.channels = CHANNELS_MAX;
            } else if (strncmp(item, "path=", 5) == 0) {
                one.path = item + 5;
            } else {
                fine = 0;
            }
            if (number < 0) fine = 0;
        }
        one.path_length = strlen(one.path);
        if (fine) setup.devices[setup.device_count++] = one;
    }
}

static void map_devices(void)
{
    char path[PATH_MAX + 16];
    if (setup.device_count == 0) return;
    snprintf(path, sizeof path, "%s/devices", setup.folder);
    int fd = raw_open(path, O_RDWR, 0);
    struct stat st;
    if (fd >= 0 && own_fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(uint64_t[DEVICES_MAX][CHANNELS_MAX]))
        setup.device_free_at =
            raw_map(sizeof(uint64_t[DEVICES_MAX][CHANNELS_MAX]), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) raw_close(fd);
    if (!setup.device_free_at) setup.device_count = 0;
}

static void read_options(void)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/options", setup.folder);
    setup.limit = 1u << 27;
    setup.metadata = setup.streams = 1;
    if (slurp(path, setup.text, sizeof setup.text) < 0) setup.text[0] = 0;
    char *rest = setup.text, *line;
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (strncmp(line, "only=", 5) == 0 && setup.only_count < FILTERS_MAX)
            setup.only[setup.only_count++] = line + 5;
        else if (strncmp(line, "skip=", 5) == 0 && setup.skip_count < FILTERS_MAX)
            setup.skip[setup.skip_count++] = line + 5;
        else if (strncmp(line, "system=", 7) == 0 && setup.system_count < FILTERS_MAX)
            setup.system[setup.system_count++] = line + 7;
        else if (strncmp(line, "all=1", 5) == 0)
            setup.all = 1;
        else if (strncmp(line, "metadata=0", 10) == 0)
            setup.metadata = 0;
        else if (strncmp(line, "streams=0", 9) == 0)
            setup.streams = 0;
        else if (strncmp(line, "limit=", 6) == 0)
            setup.limit = strtoull(line + 6, NULL, 10);
        else if (strncmp(line, "delay=", 6) == 0)
            read_delays(line + 6);
    }
    if (setup.limit > (uint64_t)(CHUNKS_MAX - 1) << CHUNK_SHIFT) setup.limit = (uint64_t)(CHUNKS_MAX - 1) << CHUNK_SHIFT;
    const char *delay = getenv("PLIMSOLL_DELAY");
    if (delay && strlen(delay) < sizeof setup.delay_text) {
        strcpy(setup.delay_text, delay);
        read_delays(setup.delay_text);
    }
    map_devices();
}

static int rank_of_environment(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK",    "PMIX_RANK", "MV2_COMM_WORLD_RANK",
                                        "PALS_RANKID",          "SLURM_PROCID", NULL};
    for (const char *const *name = names; *name; name++) {
        const char *text = getenv(*name);
        if (text && *text >= '0' && *text <= '9') return atoi(text);
    }
    return -1;
}

/* Of tasks that Slurm has started it says how many there are; in a batch script the number is that of a job to come. */
static int ranks_of_environment(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", NULL};
    if (setup.rank < 0) return 0;
    for (const char *const *name = names; *name; name++) {
        const char *text = getenv(*name);
        if (!name[1] && !getenv("SLURM_STEP_ID")) return 0;
        if (text && *text >= '1' && *text <= '9') return atoi(text) > setup.rank ? atoi(text) : 0;
    }
    return 0;
}

/* Programs that start others and pass their output on do I/O of their own, which is not the application's. */
static int is_launcher(void)
{
    static const char *const names[] = {"mpiexec", "mpirun", "hydra_", "orted", "orterun", "prte", "srun", "slurmstepd", NULL};
    const char *name = program_invocation_short_name;
    for (const char *const *one = names; name && *one; one++)
        if (strncmp(name, *one, strlen(*one)) == 0) return 1;
    return 0;
}

/* Without a wipe by the kernel, the child empties what it took over itself. */
static void forget_parent(void)
{
    madvise(process, sizeof *process, MADV_DONTNEED);
}

static void remember_preload(const char *folder)
{
    Dl_info self;
    if (!dladdr((void *)remember_preload, &self) || !self.dli_fname || self.dli_fname[0] != '/') return;
    if (strlen(self.dli_fname) >= PATH_MAX) return;
    snprintf(setup.preload, sizeof setup.preload, "LD_PRELOAD=%s", self.dli_fname);
    snprintf(setup.variable, sizeof setup.variable, "PLIMSOLL_RECORD=%s", folder);
}

static void share_all_positions(void);

/* Decides for the life of this program image whether we record. Two threads that do it at once find the same. */
SLOW static int start(void)
{
    static int started;
    if (__atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL)) {
        for (int i = 0; i < 1000 && __atomic_load_n(&mode, __ATOMIC_ACQUIRE) == MODE_UNSET; i++) sched_yield();
        return __atomic_load_n(&mode, __ATOMIC_ACQUIRE);
    }
    int saved = errno, result = MODE_OFF;
    const char *folder = getenv("PLIMSOLL_RECORD");
    if (folder && folder[0] == '/' && strlen(folder) < sizeof setup.folder - 300) {
        strcpy(setup.folder, folder);
        void *space = raw_map(sizeof *process, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (space) {
            process = space;
            if (madvise(space, sizeof *process, MADV_WIPEONFORK) != 0) pthread_atfork(NULL, NULL, forget_parent);
            process->pid = (int32_t)getpid();
            pthread_atfork(share_all_positions, share_all_positions, NULL);
            setup.rank = rank_of_environment();
            setup.ranks = ranks_of_environment();
            read_options();
            remember_preload(folder);
            if (setup.all || !is_launcher()) result = MODE_ON;
        }
    }
    errno = saved;
    __atomic_store_n(&mode, result, __ATOMIC_RELEASE);
    return result;
}
static inline int is_on(void)
{
    int now_mode = __atomic_load_n(&mode, __ATOMIC_ACQUIRE);
    if (LIKELY(now_mode != MODE_UNSET)) return now_mode == MODE_ON;
    return start() == MODE_ON;
}

/* ---- what is not seen ------------------------------------------------------------------------------------------- */

/*
 * What the program does by ways that leave no record is told in a small text file of the trace, a line each: what, which
 * program, of what. Rare events only; a line that is there is not written again, and a full file takes no more.
 */
#define UNSEEN_BYTES 4096
#define UNSEEN_LINE 512
static int open_unseen(void)
{
    char path[PATH_MAX + 16];
    if (!is_on() || setup.sandboxed) return -1;
    snprintf(path, sizeof path, "%s/unseen", setup.folder);
    return raw_open(path, O_RDWR | O_CREAT | O_APPEND, 0666);
}
static void write_unseen(int fd, const char *what, const char *detail)
{
    char known[UNSEEN_BYTES + 1], line[UNSEEN_LINE];
    struct rlimit limit;
    const char *program = program_invocation_short_name ? program_invocation_short_name : "";
    size_t length = (size_t)snprintf(line, sizeof line - 1, "%s\t%.64s\t%s", what, program, detail);
    if (length > sizeof line - 2) length = sizeof line - 2;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' && line[i] != '\t') line[i] = '?';
    line[length++] = '\n';
    line[length] = 0;
    long size = RAW(SYS_pread64, fd, known, UNSEEN_BYTES, 0, 0, 0);
    if (size < 0 || (size_t)size + length > UNSEEN_BYTES) return;
    known[size] = 0;
    if (strstr(known, line)) return;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < UNSEEN_BYTES) return;
    RAW(SYS_write, fd, line, length, 0, 0, 0);
}
SLOW static void tell_unseen(const char *what, const char *detail)
{
    int saved = errno, fd = open_unseen();
    if (fd >= 0) {
        write_unseen(fd, what, detail);
        raw_close(fd);
    }
    errno = saved;
}

/* Ways of I/O that are told once by a process. */
enum way { WAY_URING = 1 };
static unsigned ways_told;
static void tell_way(enum way way, const char *name)
{
    if (__atomic_load_n(&ways_told, __ATOMIC_RELAXED) & way) return;
    __atomic_fetch_or(&ways_told, way, __ATOMIC_RELAXED);
    tell_unseen(name, "");
}

/* ---- a trace that is cut under us ------------------------------------------------------------------------------- */

/*
 * A store into a mapped file that somebody has truncated raises SIGBUS. Our handler puts plain memory in the place of the
 * lost part and lets the store go on. The program's own handler stays the one it sees and gets every other SIGBUS.
 */
static struct sigaction bus_theirs;
static int bus_guarded;
WRAP(int, sigaction, (int signal, const struct sigaction *action, struct sigaction *old));

static int replace_if_within(const void *part, size_t size, const void *at)
{
    if (!part || (const char *)at < (const char *)part || (const char *)at >= (const char *)part + size) return 0;
    return RAW(SYS_mmap, part, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (long)part;
}
static int replace_lost_part(const void *at)
{
    struct process *p = process;
    if (replace_if_within(setup.device_free_at, sizeof(uint64_t[DEVICES_MAX][CHANNELS_MAX]), at)) return 1;
    if (!p) return 0;
    if (replace_if_within(p->header, (size_t)FIRST_SLOTS * RECORD_BYTES, at)) return 1;
    for (unsigned i = 0; i < CHUNKS_MAX; i++)
        if (replace_if_within(p->chunks[i], (size_t)CHUNK_SLOTS * RECORD_BYTES, at)) return 1;
    return 0;
}
static int is_function(const struct sigaction *action)
{
    return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
}
static void on_bus_error(int signal, siginfo_t *info, void *context)
{
    int saved = errno, is_fault = info->si_code > 0;
    if (info->si_code == BUS_ADRERR && replace_lost_part(info->si_addr)) {
        errno = saved;
        return;
    }
    struct sigaction theirs = bus_theirs;
    if (is_function(&theirs)) {
        if (theirs.sa_flags & SA_RESETHAND) bus_theirs = (struct sigaction){.sa_handler = SIG_DFL};
        errno = saved;
        theirs.sa_sigaction(signal, info, context);
        return;
    }
    if (theirs.sa_handler == SIG_IGN && !is_fault) return;
    /* As without us: a fault happens again and ends the program, a signal that was sent is sent again. */
    struct sigaction usual = {.sa_handler = SIG_DFL};
    REAL(sigaction)(SIGBUS, &usual, NULL);
    if (!is_fault) RAW(SYS_tgkill, getpid(), RAW(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGBUS, 0, 0, 0);
    errno = saved;
}
static void set_bus_handler(void)
{
    struct sigaction ours = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    if (is_function(&bus_theirs)) {
        ours.sa_flags = (bus_theirs.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
        ours.sa_mask = bus_theirs.sa_mask;
    }
    REAL(sigaction)(SIGBUS, &ours, NULL);
}
static void guard_against_truncation(void)
{
    if (bus_guarded || REAL(sigaction)(SIGBUS, NULL, &bus_theirs) != 0) return;
    bus_guarded = 1;
    set_bus_handler();
}
/* A child of vfork has handlers of its own but shares our memory. */
static int is_vfork_child(void)
{
    return process && process->pid != 0 && process->pid != (int32_t)RAW(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* Nothing else of ours must keep SIGBUS out: the kernel ends a program that faults while it is blocked. */
static int change_action(int signal, const struct sigaction *action, struct sigaction *old)
{
    struct sigaction open_mask;
    if (signal == SIGBUS && bus_guarded && !is_vfork_child()) {
        struct sigaction before = bus_theirs;
        if (action) {
            bus_theirs = *action;
            set_bus_handler();
        }
        if (old) *old = before;
        return 0;
    }
    if (action && __atomic_load_n(&mode, __ATOMIC_ACQUIRE) == MODE_ON && sigismember(&action->sa_mask, SIGBUS) == 1) {
        open_mask = *action;
        sigdelset(&open_mask.sa_mask, SIGBUS);
        action = &open_mask;
    }
    int result = REAL(sigaction)(signal, action, old);
    if (result == 0 && old && signal == SIGBUS && old->sa_sigaction == on_bus_error) *old = bus_theirs;
    return result;
}
EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    return change_action(signal, action, old);
}
EXPORT int __sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    return change_action(signal, action, old);
}

#define WRAP_SIGNAL(name, how)                                                                    \
    WRAP(sighandler_t, name, (int signal, sighandler_t handler))                                  \
    {                                                                                             \
        if (signal != SIGBUS || !bus_guarded || handler == SIG_ERR) return REAL(name)(signal, handler); \
        struct sigaction action = {.sa_handler = handler, .sa_flags = how}, old;                  \
        return change_action(signal, &action, &old) == 0 ? old.sa_handler : SIG_ERR;              \
    }
WRAP_SIGNAL(signal, SA_RESTART)
WRAP_SIGNAL(bsd_signal, SA_RESTART)
WRAP_SIGNAL(ssignal, SA_RESTART)
WRAP_SIGNAL(sysv_signal, SA_RESETHAND | SA_NODEFER)
WRAP_SIGNAL(__sysv_signal, SA_RESETHAND | SA_NODEFER)

static int change_mask(int (*real)(int, const sigset_t *, sigset_t *), int how, const sigset_t *set, sigset_t *old)
{
    if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) != MODE_ON) return real(how, set, old);
    int before = thread.bus_blocked, after = before;
    sigset_t without;
    if (set) {
        int named = sigismember(set, SIGBUS) == 1;
        after = how == SIG_SETMASK ? named : how == SIG_BLOCK ? before | named : before & !named;
        if (named && how != SIG_UNBLOCK) {
            without = *set;
            sigdelset(&without, SIGBUS);
            set = &without;
        }
    }
    int result = real(how, set, old);
    if (result != 0) return result;
    thread.bus_blocked = after;
    if (old && before) sigaddset(old, SIGBUS);
    return 0;
}
WRAP(int, sigprocmask, (int how, const sigset_t *set, sigset_t *old))
{
    return change_mask(REAL(sigprocmask), how, set, old);
}
WRAP(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old))
{
    return change_mask(REAL(pthread_sigmask), how, set, old);
}

/* ---- space for records ------------------------------------------------------------------------------------------ */

/* Makes [from, to) of the file real, so that a store into its mapping cannot fail later. */
static int allocate(int fd, uint64_t from, uint64_t to)
{
    struct rlimit limit;
    /* Beyond this limit the kernel would send SIGXFSZ. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && to > limit.rlim_cur) return 0;
    long result = RAW(SYS_fallocate, fd, 0, from, to - from, 0, 0);
    if (result == 0) return 1;
    if (result != -EOPNOTSUPP && result != -ENOSYS) return 0;
    static const char zeros[16384];
    struct stat st;
    if (own_fstat(fd, &st) != 0) return 0;
    /* What is there may hold records already. */
    if ((uint64_t)st.st_size > from) from = (uint64_t)st.st_size;
    while (from < to) {
        size_t size = to - from < sizeof zeros ? to - from : sizeof zeros;
        long count = RAW(SYS_pwrite64, fd, zeros, size, from, 0, 0);
        if (count <= 0) return 0;
        from += (uint64_t)count;
        /* The kernel counts these as the program's. */
        __atomic_fetch_add(&process->other_written, (uint64_t)count, __ATOMIC_RELAXED);
    }
    return 1;
}

static void *map_part(const char *path, uint64_t from, uint64_t to)
{
    int fd = raw_open(path, O_RDWR, 0);
    if (fd < 0) return NULL;
    void *part = allocate(fd, from, to) ? raw_map(to - from, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from) : NULL;
    raw_close(fd);
    /* A child has no use for it and would pay for it at fork. */
    if (part) madvise(part, to - from, MADV_DONTFORK);
    return part;
}

SLOW static struct record *grow(uint64_t chunk)
{
    int saved = errno;
    struct process *p = process;
    const uint64_t bytes = (uint64_t)CHUNK_SLOTS * RECORD_BYTES;
    struct record *part = NULL;
    if (!setup.sandboxed) part = map_part(p->path, chunk * bytes, (chunk + 1) * bytes);
    if (part) {
        struct record *none = NULL;
        madvise(part, bytes, MADV_POPULATE_WRITE);
        if (!__atomic_compare_exchange_n(&p->chunks[chunk], &none, part, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            munmap(part, bytes);
            part = none;
        } else if (chunk >= 2 && p->chunks[chunk - 2]) {
            /* Full by now; its pages stay in the page cache, out of the program's resident memory. */
            madvise(p->chunks[chunk - 2], bytes, MADV_DONTNEED);
        }
    } else if (!(part = __atomic_load_n(&p->chunks[chunk], __ATOMIC_ACQUIRE))) {
        uint64_t first_free = chunk == 0 ? FIRST_SLOTS : chunk << CHUNK_SHIFT;
        __atomic_store_n(&p->header->capacity, first_free - HEADER_SLOTS, __ATOMIC_RELAXED);
        __atomic_fetch_or(&p->header->flags, HEADER_FULL, __ATOMIC_RELAXED);
    }
    errno = saved;
    return part;
}

/* Where the record of this number is, or NULL when there is no space for it. */
static inline struct record *place(struct header *header, uint64_t number)
{
    uint64_t slot = number + HEADER_SLOTS;
    if (UNLIKELY(number >= __atomic_load_n(&header->capacity, __ATOMIC_RELAXED))) return NULL;
    if (slot < FIRST_SLOTS) return (struct record *)header + slot;
    struct record *part = __atomic_load_n(&process->chunks[slot >> CHUNK_SHIFT], __ATOMIC_ACQUIRE);
    if (UNLIKELY(!part) && !(part = grow(slot >> CHUNK_SHIFT))) return NULL;
    return part + (slot & (CHUNK_SLOTS - 1));
}

static void enter_process(void)
{
    struct process *p = process;
    if (p->pid == 0) __atomic_store_n(&p->pid, (int32_t)getpid(), __ATOMIC_RELEASE);
}

static void fill_header(struct header *header)
{
    struct utsname names;
    memcpy(header->magic, "PLTRACE", 8);
    header->version = FORMAT_VERSION;
    header->byte_order = 0x01020304;
    header->header_bytes = HEADER_BYTES;
    header->record_bytes = RECORD_BYTES;
    header->capacity = setup.limit;
    header->pid = (uint32_t)process->pid;
    header->ppid = (uint32_t)getppid();
    header->rank = setup.rank;
    header->ranks = (uint32_t)setup.ranks;
    header->flags = (setup.device_count > 0 ? HEADER_DELAY : 0) | (setup.all ? HEADER_ALL : 0);
    header->dropped = process->early_drops;
    clock_pair(&header->start_monotonic, &header->start_realtime, &header->start_spread);
    header->realtime_offset = (int64_t)(header->start_realtime - header->start_monotonic);
    if (slurp("/proc/sys/kernel/random/boot_id", header->boot, sizeof header->boot) > 36) header->boot[36] = 0;
    if (uname(&names) == 0) snprintf(header->host, sizeof header->host, "%s", names.nodename);
    if (slurp("/proc/self/comm", header->comm, sizeof header->comm) > 0) header->comm[strcspn(header->comm, "\n")] = 0;
    /* Words stay separated by NUL, as the kernel gives them. */
    slurp("/proc/self/cmdline", header->command, sizeof header->command);
}

SLOW static struct header *open_trace(void)
{
    struct process *p = process;
    if (setup.sandboxed || thread.busy) {
        __atomic_fetch_add(&p->early_drops, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    int saved = errno, nobody = 0;
    enter_process();
    if (!__atomic_compare_exchange_n(&p->opening, &nobody, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        /* Another thread is at it, or has failed for good (2). */
        for (int i = 0; i < 20000 && __atomic_load_n(&p->opening, __ATOMIC_ACQUIRE) == 1; i++) sched_yield();
        struct header *theirs = __atomic_load_n(&p->header, __ATOMIC_ACQUIRE);
        if (!theirs) __atomic_fetch_add(&p->early_drops, 1, __ATOMIC_RELAXED);
        errno = saved;
        return theirs;
    }
    thread.busy = 1;
    struct utsname names;
    const uint64_t bytes = (uint64_t)FIRST_SLOTS * RECORD_BYTES;
    const char *host = uname(&names) == 0 ? names.nodename : "host";
    struct header *header = NULL;
    snprintf(p->path, sizeof p->path, "%s/%.64s.%d.%llu.plt", setup.folder, host, p->pid, (unsigned long long)now());
    int fd = raw_open(p->path, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (fd >= 0) {
        raw_close(fd);
        header = map_part(p->path, 0, bytes);
        /* No space even for this: an empty file tells that a process was not recorded. */
        if (header) {
            guard_against_truncation();
            fill_header(header);
        }
    }
    __atomic_store_n(&p->header, header, __ATOMIC_RELEASE);
    __atomic_store_n(&p->opening, 2, __ATOMIC_RELEASE);
    thread.busy = 0;
    errno = saved;
    return header;
}

static inline struct header *trace_header(void)
{
    struct header *header = __atomic_load_n(&process->header, __ATOMIC_ACQUIRE);
    return LIKELY(header != NULL) ? header : open_trace();
}

static inline uint32_t thread_id(void)
{
    if (UNLIKELY(thread.owner != process->pid)) {
        thread.id = (uint32_t)RAW(SYS_gettid, 0, 0, 0, 0, 0, 0);
        thread.owner = process->pid;
    }
    return thread.id;
}

/* The first word goes last: a record that a kill cut short has kind 0. */
static inline void put(struct record *at, uint32_t who, unsigned op, unsigned flags, unsigned file, uint64_t bytes,
                       uint64_t start_ns, uint64_t end_ns)
{
    struct record head = {.thread = who, .op = (uint8_t)op, .flags = (uint8_t)flags, .file = (uint16_t)file};
    uint64_t word;
    memcpy(&word, &head, 8);
    at->bytes = bytes;
    at->start_ns = start_ns;
    at->end_ns = end_ns;
    __atomic_store_n((uint64_t *)at, word, __ATOMIC_RELEASE);
}

/* `moved` is what came back, -1 for a failure, -2 when nobody knows. */
#define MOVED_UNKNOWN (-2)
#define OFFSET_UNKNOWN UINT64_MAX
#define BYTES_UNKNOWN UINT64_MAX
/* Where it is known, the offset takes the place of the thread and of the upper half of the size. */
static inline uint64_t packed_size(uint64_t asked, uint64_t offset)
{
    if (offset <= INT64_MAX && asked <= UINT32_MAX) return asked | (offset >> 32 | 0x80000000u) << 32;
    return asked <= INT64_MAX ? asked : INT64_MAX;
}
static inline void record_at(unsigned op, unsigned flags, unsigned file, uint64_t asked, int64_t moved, uint64_t start_ns,
                             uint64_t end_ns, uint64_t offset)
{
    struct header *header = trace_header();
    if (UNLIKELY(!header)) return;
    int is_short = moved >= 0 && (uint64_t)moved != asked;
    uint64_t number = __atomic_fetch_add(&header->count, 1 + is_short, __ATOMIC_RELAXED);
    struct record *at = place(header, number);
    if (UNLIKELY(!at)) {
        __atomic_fetch_add(&header->dropped, 1, __ATOMIC_RELAXED);
        return;
    }
    struct record *second = is_short ? place(header, number + 1) : NULL;
    if (second) put(second, thread_id(), OP_MOVED, flags, file, (uint64_t)moved, start_ns, end_ns);
    uint64_t size = packed_size(asked, offset);
    put(at, size >> 63 ? (uint32_t)offset : thread_id(), op, flags | (second ? FLAG_SHORT : 0), file, size, start_ns, end_ns);
}
static inline void record(unsigned op, unsigned flags, unsigned file, uint64_t asked, int64_t moved, uint64_t start_ns,
                          uint64_t end_ns)
{
    record_at(op, flags, file, asked, moved, start_ns, end_ns, OFFSET_UNKNOWN);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* Parts of 27 bytes, each in a record that says what it is. */
#define NAME_PART_BYTES 27
static void put_text(unsigned op, unsigned number_of, const char *text, size_t length, uint64_t a, uint64_t b, uint64_t c)
{
    struct header *header = trace_header();
    if (!header) return;
    uint64_t parts = (length + NAME_PART_BYTES - 1) / NAME_PART_BYTES;
    uint64_t number = __atomic_fetch_add(&header->count, 1 + parts, __ATOMIC_RELAXED);
    for (uint64_t i = 0; i < parts; i++) {
        struct record *at = place(header, number + 1 + i);
        if (!at) return;
        size_t done = i * NAME_PART_BYTES, size = length - done < NAME_PART_BYTES ? length - done : NAME_PART_BYTES;
        uint8_t *bytes = (uint8_t *)at;
        memcpy(bytes + 5, text + done, size);
        bytes[4] = OP_NAME_PART;
    }
    struct record *at = place(header, number);
    if (at) put(at, (uint32_t)length, op, 0, number_of, a, b, c);
}

static uint64_t name_hash(const char *path, size_t length)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)path[i]) * 1099511628211u;
    /* FNV mixes its last bytes little. */
    hash ^= hash >> 32;
    hash *= 0x9e3779b97f4a7c15u;
    return hash | (hash == 0);
}
/* Of a file that has a number already, else 0. */
static unsigned known_file_id(const char *path, size_t length)
{
    uint64_t hash = name_hash(path, length);
    for (uint64_t at = hash >> 47, tries = 0; tries < 64; at = (at + 1) & (NAMES_MAX - 1), tries++)
        if (__atomic_load_n(&process->name_hashes[at], __ATOMIC_ACQUIRE) == hash)
            return __atomic_load_n(&process->name_ids[at], __ATOMIC_ACQUIRE);
    return 0;
}
static unsigned file_id(const char *path, size_t length, uint64_t open_flags, uint64_t file_system, uint64_t inode)
{
    struct process *p = process;
    uint64_t hash = name_hash(path, length);
    for (uint64_t at = hash >> 47, tries = 0; tries < 64; at = (at + 1) & (NAMES_MAX - 1), tries++) {
        uint64_t there = __atomic_load_n(&p->name_hashes[at], __ATOMIC_ACQUIRE);
        if (there == 0 &&
            __atomic_compare_exchange_n(&p->name_hashes[at], &there, hash, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            unsigned id = __atomic_add_fetch(&p->files, 1, __ATOMIC_RELAXED);
            if (id > FILES_MAX) id = FILE_OTHER;
            else put_text(OP_NAME, id, path, length, open_flags, file_system, inode);
            if (id == FILE_OTHER && p->header) __atomic_fetch_add(&p->header->files_other, 1, __ATOMIC_RELAXED);
            __atomic_store_n(&p->name_ids[at], (uint16_t)id, __ATOMIC_RELEASE);
            return id;
        }
        if (there != hash) continue;
        for (int i = 0; i < 1000; i++) {
            unsigned id = __atomic_load_n(&p->name_ids[at], __ATOMIC_ACQUIRE);
            if (id != 0) return id;
            sched_yield();
        }
        return FILE_UNKNOWN;
    }
    if (p->header) __atomic_fetch_add(&p->header->files_other, 1, __ATOMIC_RELAXED);
    return FILE_OTHER;
}

#include "recorder-mounts.h"

static unsigned device_of(const char *path)
{
    for (unsigned i = 0; i < setup.device_count; i++) {
        const struct device *one = &setup.devices[i];
        if (one->path_length == 0 || is_below(path, one->path, one->path_length)) return i + 1;
    }
    return 0;
}

static ssize_t read_fd_link(int fd, char *path, size_t size)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = RAW(SYS_readlinkat, AT_FDCWD, link, path, size - 1, 0, 0);
    path[length > 0 ? length : 0] = 0;
    return length;
}
static char *own_realpath(const char *path, char *into)
{
    int fd = raw_open(path, O_PATH, 0);
    ssize_t length = fd >= 0 ? read_fd_link(fd, into, PATH_MAX) : 0;
    if (fd >= 0) raw_close(fd);
    return length > 0 ? into : NULL;
}
static size_t without_deleted(char *path, size_t length, const struct stat *st)
{
    static const char deleted[] = " (deleted)";
    const size_t suffix = sizeof deleted - 1;
    if (st->st_nlink == 0 && length > suffix && strcmp(path + length - suffix, deleted) == 0) path[length -= suffix] = 0;
    return length;
}
/* The name of what a descriptor stands for, of PATH_MAX bytes; its length, or 0 when it is left out. */
static size_t path_of(int fd, const struct stat *st, char *path)
{
    int is_block = S_ISBLK(st->st_mode);
    if (!S_ISREG(st->st_mode) && !is_block && !setup.all) return 0;
    ssize_t length = read_fd_link(fd, path, PATH_MAX);
    if (length <= 0) length = snprintf(path, PATH_MAX, "(device %llu, inode %llu)", (unsigned long long)st->st_dev,
                                       (unsigned long long)st->st_ino);
    length = (ssize_t)without_deleted(path, (size_t)length, st);
    return is_left_out(path, is_block) ? 0 : (size_t)length;
}

static uint32_t classify(int fd)
{
    struct stat st;
    char path[PATH_MAX];
    if (fd < 0 || own_fstat(fd, &st) != 0) return setup.all ? FD_NONFILE : FD_SKIP;
    int is_file = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
    uint32_t entry = FD_KNOWN | (is_file ? 0 : FD_NONFILE);
    size_t length = path_of(fd, &st, path);
    if (length == 0) return entry | FD_SKIP;
    long open_flags = RAW(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    if (open_flags >= 0 && (open_flags & O_DIRECT)) entry |= FD_DIRECT;
    if (open_flags >= 0 && (open_flags & O_APPEND)) entry |= FD_APPEND;
    uint64_t file_system = is_file ? file_system_of(fd, &st, path) : 0;
    entry |= file_id(path, length, open_flags < 0 ? 0 : (uint64_t)open_flags, file_system, st.st_ino);
    return entry | device_of(path) << FD_DEVICE_SHIFT;
}

SLOW static uint32_t look_up(int fd)
{
    int saved = errno;
    if (setup.sandboxed) {
        /* The sandbox may kill whoever asks. */
        if (process->header) __atomic_fetch_add(&process->header->dropped, 1, __ATOMIC_RELAXED);
        return FD_LOST;
    }
    enter_process();
    uint32_t entry = classify(fd);
    errno = saved;
    return entry;
}
SLOW static uint32_t look_up_and_keep(int fd)
{
    uint32_t entry = look_up(fd);
    if (fd >= 0 && (unsigned)fd < FDS_MAX && (entry & FD_KNOWN)) {
        process->fds[fd] = entry;
        if ((unsigned)fd > process->fd_highest) process->fd_highest = (unsigned)fd;
    }
    return entry;
}

/* A descriptor is known from the first read or write on, so that one with neither can be told from others. */
static inline uint32_t known_entry(int fd)
{
    return LIKELY((unsigned)fd < FDS_MAX) ? process->fds[fd] : 0;
}
static inline uint32_t entry_of(int fd)
{
    uint32_t entry = known_entry(fd);
    return LIKELY(entry & FD_KNOWN) ? entry : look_up_and_keep(fd);
}

/* A move under way must not be taken for one of the next file of this number. */
static inline void forget_position(unsigned fd)
{
    if (!process->fd_epochs[fd] && !process->positions[fd] && !process->fd_cells[fd]) return;
    __atomic_fetch_add(&process->position_uses[fd], 1ull << 32, __ATOMIC_ACQ_REL);
    process->positions[fd] = 0;
    process->fd_cells[fd] = process->fd_epochs[fd] = 0;
}

/* The number means another file from now on. */
static inline void forget(int fd)
{
    if (!is_on() || (unsigned)fd >= FDS_MAX) return;
    if (process->fds[fd]) process->fds[fd] = 0;
    if (process->fd_names[fd]) process->fd_names[fd] = 0;
    if (UNLIKELY(process->fd_looked[fd])) process->fd_looked[fd] = 0;
    forget_position((unsigned)fd);
}
static void forget_range(unsigned first, unsigned last)
{
    if (!is_on()) return;
    unsigned highest = process->fd_highest;
    for (unsigned fd = first; fd <= last && fd <= highest; fd++) {
        process->fds[fd] = process->fd_names[fd] = 0;
        forget_position(fd);
    }
}

#include "recorder-paths.h"

/* ---- delays ----------------------------------------------------------------------------------------------------- */

/* Holds the caller until a device with this latency and bandwidth would have answered; gives that moment. */
SLOW static uint64_t wait_for_device(unsigned index, uint64_t start_ns, int64_t moved)
{
    const struct device *device = &setup.devices[index];
    uint64_t work = device->latency_ns + (uint64_t)(device->ns_per_byte * (moved > 0 ? (double)moved : 0));
    uint64_t until = start_ns + work;
    int saved = errno;
    if (device->channels > 0) {
        uint64_t *free_at = setup.device_free_at[index];
        for (;;) {
            unsigned best = 0;
            uint64_t earliest = UINT64_MAX;
            for (unsigned i = 0; i < device->channels; i++) {
                uint64_t at = __atomic_load_n(&free_at[i], __ATOMIC_RELAXED);
                if (at < earliest) earliest = at, best = i;
            }
            until = (earliest > start_ns ? earliest : start_ns) + work;
            if (__atomic_compare_exchange_n(&free_at[best], &earliest, until, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                break;
        }
    }
    if (!thread.timer_set) {
        /* The usual slack of 50 us would be a part of every latency. */
        prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
        thread.timer_set = 1;
    }
    struct timespec t = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
    while (now() < until && RAW(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0, 0, 0) == -EINTR) {}
    errno = saved;
    return now();
}

/* ---- one access ------------------------------------------------------------------------------------------------- */

struct span {
    uint32_t entry, cell;
    uint64_t start_ns, mark;
};

#include "recorder-positions.h"

SLOW static void not_recorded(uint32_t entry)
{
    struct header *header = process->header;
    if (header && !(entry & FD_LOST)) __atomic_fetch_add(&header->skipped, 1, __ATOMIC_RELAXED);
}
/* Bytes that no record has, for the comparison with what the kernel counts. */
static void tell_totals(void);
SLOW static void count_other(int written, int64_t bytes)
{
    if (bytes <= 0 || !is_on()) return;
    __atomic_fetch_add(written ? &process->other_written : &process->other_read, (uint64_t)bytes, __ATOMIC_RELAXED);
    if (process->ended) tell_totals();
}
static inline ssize_t counted_write(ssize_t result)
{
    if (result > 0) count_other(1, result);
    return result;
}
static inline int begin_with(struct span *span, uint32_t entry)
{
    if (UNLIKELY(entry & (FD_SKIP | FD_LOST))) {
        not_recorded(entry);
        return 0;
    }
    span->entry = entry;
    span->start_ns = now();
    return 1;
}
static inline int begin(struct span *span, int fd)
{
    return LIKELY(is_on()) && begin_with(span, entry_of(fd));
}
/* Of what is neither a read nor a write. */
static uint32_t entry_apart(int fd)
{
    uint32_t entry = known_entry(fd);
    return entry & FD_KNOWN ? entry : look_up(fd);
}

static inline unsigned entry_flags(uint32_t entry)
{
    return (entry & FD_DIRECT ? FLAG_DIRECT : 0) | (entry & FD_NONFILE ? FLAG_NONFILE : 0);
}

/* Whether we are called from inside an access of a layer above. A frame deeper than ours was left behind. */
static inline int is_inside(void)
{
    const char *outer = thread.outer_frame;
    if (LIKELY(outer == NULL)) return 0;
    const char *here = __builtin_frame_address(0);
    if (here <= outer) return 1;
    thread.outer_frame = NULL;
    return 0;
}

static inline void finish_at(const struct span *span, unsigned op, unsigned flags, uint64_t asked, int64_t moved,
                             uint64_t offset)
{
    uint64_t end_ns = now();
    uint32_t entry = span->entry;
    if (UNLIKELY(entry & FD_DEVICE_MASK))
        end_ns = wait_for_device((entry >> FD_DEVICE_SHIFT) - 1, span->start_ns, moved);
    flags |= entry_flags(entry);
    if (moved == -1) flags |= FLAG_ERROR;
    if (UNLIKELY(entry & FD_APPEND) && (flags & FLAG_WRITE) && op < OP_SYNC) flags |= FLAG_APPENDED;
    if (UNLIKELY(is_inside())) {
        flags |= FLAG_NESTED;
        thread.inner++;
    }
    record_at(op, flags, entry & 0xffff, asked, moved, span->start_ns, end_ns, offset);
}
static inline void finish(const struct span *span, unsigned op, unsigned flags, uint64_t asked, int64_t moved)
{
    finish_at(span, op, flags, asked, moved, OFFSET_UNKNOWN);
}

/* ---- wrappers: how they are written ------------------------------------------------------------------------------ */

#define TIMED_FROM(entry, op, flags, fd, asked, before, offset, call) \
    struct span span;                                              \
    if (UNLIKELY(!is_on())) return call;                           \
    if (UNLIKELY(!begin_with(&span, entry(fd)))) {                 \
        __auto_type result = call;                                 \
        count_other((flags) & FLAG_WRITE, (int64_t)result);        \
        return result;                                             \
    }                                                              \
    before;                                                        \
    __auto_type result = call;                                     \
    int64_t moved = result < 0 ? -1 : (int64_t)result;             \
    finish_at(&span, op, flags, asked, moved, offset);             \
    return result
/* From the position on; at an offset; neither. */
#define TIMED(op, flags, fd, asked, call) \
    TIMED_FROM(entry_of, op, flags, fd, asked, move_begins(&span, fd), move_ends(&span, fd, (flags) & FLAG_WRITE, moved), call)
#define TIMED_AT_HOW(op, flags, fd, asked, at, how, call) \
    TIMED_FROM(entry_of, op, flags, fd, asked, , offset_given(span.entry, (flags) & FLAG_WRITE, (int64_t)(at), how), call)
#define TIMED_AT(op, flags, fd, asked, at, call) TIMED_AT_HOW(op, flags, fd, asked, at, 0, call)
#define TIMED_SYNC(fd, call) TIMED_FROM(entry_apart, OP_SYNC, FLAG_WRITE, fd, 0, , OFFSET_UNKNOWN, call)

/* ---- reads and writes -------------------------------------------------------------------------------------------- */

WRAP_IN(ssize_t, read, (int fd, void *buffer, size_t size), (fd, buffer, size), TIMED, OP_READ, 0, fd, size)
WRAP_IN(ssize_t, write, (int fd, const void *buffer, size_t size),
        (fd, buffer, size), TIMED, OP_WRITE, FLAG_WRITE, fd, size)
WRAP_IN(ssize_t, pread, (int fd, void *buffer, size_t size, off_t offset),
        (fd, buffer, size, offset), TIMED_AT, OP_PREAD, 0, fd, size, offset)
WRAP_IN(ssize_t, pread64, (int fd, void *buffer, size_t size, off64_t offset),
        (fd, buffer, size, offset), TIMED_AT, OP_PREAD, 0, fd, size, offset)
WRAP_IN(ssize_t, pwrite, (int fd, const void *buffer, size_t size, off_t offset),
        (fd, buffer, size, offset), TIMED_AT, OP_PWRITE, FLAG_WRITE, fd, size, offset)
WRAP_IN(ssize_t, pwrite64, (int fd, const void *buffer, size_t size, off64_t offset),
        (fd, buffer, size, offset), TIMED_AT, OP_PWRITE, FLAG_WRITE, fd, size, offset)

/* What programs built with _FORTIFY_SOURCE call instead. */
WRAP_IN(ssize_t, __read_chk, (int fd, void *buffer, size_t size, size_t room),
        (fd, buffer, size, room), TIMED, OP_READ, 0, fd, size)
WRAP_IN(ssize_t, __pread_chk, (int fd, void *buffer, size_t size, off_t offset, size_t room),
        (fd, buffer, size, offset, room), TIMED_AT, OP_PREAD, 0, fd, size, offset)
WRAP_IN(ssize_t, __pread64_chk, (int fd, void *buffer, size_t size, off64_t offset, size_t room),
        (fd, buffer, size, offset, room), TIMED_AT, OP_PREAD, 0, fd, size, offset)

/* Looked at after the call: where the kernel could not read the vector, we must not either. */
static uint64_t vector_bytes(const struct iovec *vector, int count, ssize_t result)
{
    uint64_t sum = 0;
    if (result < 0 && (errno == EFAULT || errno == EINVAL || errno == EBADF)) return 0;
    for (int i = 0; i < count; i++) sum += vector[i].iov_len;
    return sum;
}
#define TIMED_VECTOR(op, flags, fd, vector, count, call) \
    TIMED(op, flags, fd, vector_bytes(vector, count, result), call)
#define TIMED_VECTOR_AT(op, flags, fd, vector, count, at, call) \
    TIMED_AT(op, flags, fd, vector_bytes(vector, count, result), at, call)
/* Of preadv2 and pwritev2, for which -1 is the position. */
#define TIMED_VECTOR_HOW(op, flags, fd, vector, count, at, how, call)                                  \
    if ((at) == -1) {                                                                                  \
        TIMED_VECTOR(op, flags, fd, vector, count, call);                                              \
    }                                                                                                  \
    TIMED_AT_HOW(op, flags, fd, vector_bytes(vector, count, result), at, how, call)

WRAP_IN(ssize_t, readv, (int fd, const struct iovec *vector, int count),
        (fd, vector, count), TIMED_VECTOR, OP_READV, 0, fd, vector, count)
WRAP_IN(ssize_t, writev, (int fd, const struct iovec *vector, int count),
        (fd, vector, count), TIMED_VECTOR, OP_WRITEV, FLAG_WRITE, fd, vector, count)
WRAP_IN(ssize_t, preadv, (int fd, const struct iovec *vector, int count, off_t offset),
        (fd, vector, count, offset), TIMED_VECTOR_AT, OP_PREADV, 0, fd, vector, count, offset)
WRAP_IN(ssize_t, preadv64, (int fd, const struct iovec *vector, int count, off64_t offset),
        (fd, vector, count, offset), TIMED_VECTOR_AT, OP_PREADV, 0, fd, vector, count, offset)
WRAP_IN(ssize_t, pwritev, (int fd, const struct iovec *vector, int count, off_t offset),
        (fd, vector, count, offset), TIMED_VECTOR_AT, OP_PWRITEV, FLAG_WRITE, fd, vector, count, offset)
WRAP_IN(ssize_t, pwritev64, (int fd, const struct iovec *vector, int count, off64_t offset),
        (fd, vector, count, offset), TIMED_VECTOR_AT, OP_PWRITEV, FLAG_WRITE, fd, vector, count, offset)
WRAP_IN(ssize_t, preadv2, (int fd, const struct iovec *vector, int count, off_t offset, int how),
        (fd, vector, count, offset, how), TIMED_VECTOR_HOW, OP_PREADV, 0, fd, vector, count, offset, how)
WRAP_IN(ssize_t, preadv64v2, (int fd, const struct iovec *vector, int count, off64_t offset, int how),
        (fd, vector, count, offset, how), TIMED_VECTOR_HOW, OP_PREADV, 0, fd, vector, count, offset, how)
WRAP_IN(ssize_t, pwritev2, (int fd, const struct iovec *vector, int count, off_t offset, int how),
        (fd, vector, count, offset, how), TIMED_VECTOR_HOW, OP_PWRITEV, FLAG_WRITE, fd, vector, count, offset, how)
WRAP_IN(ssize_t, pwritev64v2, (int fd, const struct iovec *vector, int count, off64_t offset, int how),
        (fd, vector, count, offset, how), TIMED_VECTOR_HOW, OP_PWRITEV, FLAG_WRITE, fd, vector, count, offset, how)

/* ---- stdio ------------------------------------------------------------------------------------------------------- */

/* Whether the system calls of streams are recorded (recorder-streams.h); then fread and fwrite are not. */
static int streams_patched;

/* libc reads and writes by itself below these, unseen; but a stream can have functions of the program below it. */
struct outer_mark {
    const char *before;
    uint32_t inner;
};
static inline struct outer_mark enter_outer(const char *frame)
{
    struct outer_mark mark = {is_inside() ? thread.outer_frame : NULL, thread.inner};
    if (!mark.before) thread.outer_frame = frame;
    return mark;
}
/* FLAG_OUTER when accesses were recorded since. */
static inline unsigned leave_outer(struct outer_mark mark)
{
    thread.outer_frame = mark.before;
    return thread.inner != mark.inner ? FLAG_OUTER : 0;
}

/* A jump leaves the calls it goes out of, for instance from a signal handler that ends a read. */
#define WRAP_JUMP(name)                                               \
    static void (*real_##name)(void *, int);                          \
    void wrapped_##name(void *target, int value) __asm__(#name);      \
    EXPORT void wrapped_##name(void *target, int value)               \
    {                                                                 \
        thread.outer_frame = NULL;                                    \
        REAL(name)(target, value);                                    \
        __builtin_unreachable();                                      \
    }
WRAP_JUMP(longjmp)
WRAP_JUMP(_longjmp)
WRAP_JUMP(siglongjmp)
WRAP_JUMP(__longjmp_chk)

#define TIMED_STREAM(op, flags, stream, size, items, call)                                              \
    struct span span;                                                                                   \
    int fd;                                                                                             \
    if (streams_patched || !is_on() || (fd = stream_descriptor(stream)) < 0 || !begin(&span, fd)) return call; \
    struct outer_mark mark = enter_outer(__builtin_frame_address(0));                                   \
    size_t result = call;                                                                               \
    unsigned outer = leave_outer(mark);                                                                 \
    int failed = result == 0 && (items) > 0 && (size) > 0 && ferror_unlocked(stream);                   \
    finish(&span, op, (flags) | outer, (uint64_t)(size) * (items), failed ? -1 : (int64_t)(result * (size))); \
    if ((unsigned)fd < FDS_MAX && process->stream_seen[fd]) process->stream_seen[fd] += result * (size); \
    return result

static int stream_descriptor(FILE *stream)
{
    int saved = errno, fd = fileno_unlocked(stream);
    errno = saved;
    return fd;
}

WRAP_IN(size_t, fread, (void *buffer, size_t size, size_t items, FILE *stream),
        (buffer, size, items, stream), TIMED_STREAM, OP_FREAD, 0, stream, size, items)
WRAP_IN(size_t, fread_unlocked, (void *buffer, size_t size, size_t items, FILE *stream),
        (buffer, size, items, stream), TIMED_STREAM, OP_FREAD, 0, stream, size, items)
WRAP_IN(size_t, __fread_chk, (void *buffer, size_t room, size_t size, size_t items, FILE *stream),
        (buffer, room, size, items, stream), TIMED_STREAM, OP_FREAD, 0, stream, size, items)
WRAP_IN(size_t, __fread_unlocked_chk, (void *buffer, size_t room, size_t size, size_t items, FILE *stream),
        (buffer, room, size, items, stream), TIMED_STREAM, OP_FREAD, 0, stream, size, items)
WRAP_IN(size_t, fwrite, (const void *buffer, size_t size, size_t items, FILE *stream),
        (buffer, size, items, stream), TIMED_STREAM, OP_FWRITE, FLAG_WRITE, stream, size, items)
WRAP_IN(size_t, fwrite_unlocked, (const void *buffer, size_t size, size_t items, FILE *stream),
        (buffer, size, items, stream), TIMED_STREAM, OP_FWRITE, FLAG_WRITE, stream, size, items)

/* ---- from one descriptor to another ------------------------------------------------------------------------------ */

/* One call is a read of the source and a write of the target. "As much as there is" is asked for with huge sizes. */
struct copy_span {
    struct span from, to;
    int has_from, has_to, fds[2];
    /* Where the program has the offset, which the call moves on; NULL for the position. */
    const int64_t *at[2];
};
static int begin_copy(struct copy_span *copy, int from, const void *from_at, int to, const void *to_at)
{
    copy->fds[0] = from;
    copy->fds[1] = to;
    copy->at[0] = from_at;
    copy->at[1] = to_at;
    copy->has_from = begin(&copy->from, from);
    copy->has_to = begin(&copy->to, to);
    if (copy->has_from && !from_at) move_begins(&copy->from, from);
    if (copy->has_to && !to_at) move_begins(&copy->to, to);
    if (copy->has_from && copy->has_to) copy->from.start_ns = copy->to.start_ns;
    return copy->has_from || copy->has_to;
}
static uint64_t copy_offset(const struct copy_span *copy, int side, int64_t moved)
{
    if (!copy->at[side]) return move_ends(side ? &copy->to : &copy->from, copy->fds[side], side, moved);
    return moved >= 0 && *copy->at[side] >= moved ? (uint64_t)(*copy->at[side] - moved) : OFFSET_UNKNOWN;
}
static void finish_copy(struct copy_span *copy, unsigned read_op, unsigned write_op, size_t size, ssize_t result)
{
    uint64_t asked = result >= 0 ? (uint64_t)result : size <= 0x7ffff000 ? size : 0;
    int64_t moved = result < 0 ? -1 : (int64_t)result;
    if (copy->has_from) finish_at(&copy->from, read_op, 0, asked, moved, copy_offset(copy, 0, moved));
    if (copy->has_to) finish_at(&copy->to, write_op, FLAG_WRITE, asked, moved, copy_offset(copy, 1, moved));
}
/* The kernel counts the bytes of splice nowhere. */
static void count_copy(const struct copy_span *copy, unsigned read_op, ssize_t bytes)
{
    if (read_op == OP_SPLICE_READ) return;
    if (!copy->has_from) count_other(0, bytes);
    if (!copy->has_to) count_other(1, bytes);
}
#define TIMED_COPY(read_op, write_op, from, from_at, to, to_at, size, call) \
    struct copy_span copy;                                  \
    int recorded = begin_copy(&copy, from, from_at, to, to_at); \
    ssize_t result = call;                                  \
    if (result > 0) count_copy(&copy, read_op, result);     \
    if (!recorded) return result;                           \
    finish_copy(&copy, read_op, write_op, size, result);    \
    return result

WRAP_IN(ssize_t, sendfile, (int to, int from, off_t *offset, size_t size),
        (to, from, offset, size), TIMED_COPY, OP_SENDFILE_READ, OP_SENDFILE_WRITE, from, offset, to, NULL, size)
WRAP_IN(ssize_t, sendfile64, (int to, int from, off64_t *offset, size_t size),
        (to, from, offset, size), TIMED_COPY, OP_SENDFILE_READ, OP_SENDFILE_WRITE, from, offset, to, NULL, size)
WRAP_IN(ssize_t, copy_file_range, (int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned how),
        (from, from_at, to, to_at, size, how), TIMED_COPY, OP_COPY_READ, OP_COPY_WRITE, from, from_at, to, to_at, size)
WRAP_IN(ssize_t, splice, (int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned how),
        (from, from_at, to, to_at, size, how), TIMED_COPY, OP_SPLICE_READ, OP_SPLICE_WRITE, from, from_at, to, to_at, size)

/* A library that a plug-in has brought along privately is not behind us in the search order. */
struct library_search {
    const char *library, *name;
    void *found;
};
static int search_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct library_search *search = data;
    if (!info->dlpi_name || !strstr(info->dlpi_name, search->library)) return 0;
    void *object = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!object) return 0;
    search->found = dlsym(object, search->name);
    dlclose(object);
    return search->found != NULL;
}
SLOW static void *find_in(const char *name, const char *library)
{
    int saved = errno;
    struct library_search search = {library, name, dlsym(RTLD_NEXT, name)};
    if (!search.found) dl_iterate_phdr(search_library, &search);
    errno = saved;
    return search.found;
}
static void *resolve_in(void **real, const char *name, const char *library)
{
    return *real = find_in(name, library);
}

/* ---- asynchronous I/O of the C library ---------------------------------------------------------------------------- */

/* From the start until the program first learns that it is done; threads of the library do the work, unseen. */
#define ASYNC_MAX 4096
struct async {
    const void *control;
    uint64_t start_ns, end_ns, bytes, offset;
    uint32_t entry;
    uint8_t op, flags;
};
static struct async asyncs[ASYNC_MAX];
static int asyncs_open;

static struct async *async_of(const void *control)
{
    if (__atomic_load_n(&asyncs_open, __ATOMIC_ACQUIRE) <= 0) return NULL;
    for (unsigned i = 0; i < ASYNC_MAX; i++) {
        struct async *one = &asyncs[((uintptr_t)control / 64 + i) % ASYNC_MAX];
        if (__atomic_load_n(&one->control, __ATOMIC_ACQUIRE) == control) return one;
    }
    return NULL;
}
static void async_started(const struct span *span, const void *control, unsigned op, uint64_t bytes,
                          uint64_t offset, int result)
{
    unsigned flags = op == OP_AIO_WRITE ? FLAG_WRITE : 0;
    if (result != 0) {
        finish_at(span, op, flags, bytes, -1, offset);
        return;
    }
    if (is_inside()) {
        flags |= FLAG_NESTED;
        thread.inner++;
    }
    for (unsigned i = 0; i < ASYNC_MAX; i++) {
        struct async *one = &asyncs[((uintptr_t)control / 64 + i) % ASYNC_MAX];
        const void *nobody = NULL;
        if (!__atomic_compare_exchange_n(&one->control, &nobody, one, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) continue;
        *one = (struct async){one, span->start_ns, 0, bytes, offset, span->entry, (uint8_t)op, (uint8_t)flags};
        __atomic_store_n(&one->control, control, __ATOMIC_RELEASE);
        __atomic_fetch_add(&asyncs_open, 1, __ATOMIC_ACQ_REL);
        return;
    }
    struct header *header = trace_header();
    if (header) __atomic_fetch_add(&header->dropped, 1, __ATOMIC_RELAXED);
}
static void async_returned(const void *control, ssize_t result)
{
    struct async *one = async_of(control);
    if (!one) return;
    struct async done = *one;
    if (!__atomic_compare_exchange_n(&one->control, &control, NULL, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
    __atomic_fetch_sub(&asyncs_open, 1, __ATOMIC_ACQ_REL);
    unsigned flags = done.flags | entry_flags(done.entry) | (result < 0 ? FLAG_ERROR : 0);
    record_at(done.op, flags, done.entry & 0xffff, done.bytes, result < 0 ? -1 : (int64_t)result, done.start_ns,
              done.end_ns ? done.end_ns : now(), done.offset);
}

#define WRAP_AIO_START(name, type, op)                                    \
    WRAP(int, name, (struct type * control))                              \
    {                                                                     \
        struct span span;                                                 \
        if (!begin(&span, control->aio_fildes)) return REAL(name)(control); \
        uint64_t bytes = control->aio_nbytes;                             \
        int result = REAL(name)(control);                                 \
        async_started(&span, control, op, bytes, offset_given(span.entry, (op) == OP_AIO_WRITE, control->aio_offset, 0), result); \
        return result;                                                    \
    }
#define WRAP_AIO_ERROR(name, type)                                        \
    WRAP(int, name, (const struct type *control))                         \
    {                                                                     \
        int result = REAL(name)(control);                                 \
        struct async *one = result == EINPROGRESS ? NULL : async_of(control); \
        if (one && !one->end_ns) one->end_ns = now();                     \
        return result;                                                    \
    }
#define WRAP_AIO_RETURN(name, type)                                       \
    WRAP(ssize_t, name, (struct type * control))                          \
    {                                                                     \
        ssize_t result = REAL(name)(control);                             \
        async_returned(control, result);                                  \
        return result;                                                    \
    }
WRAP_AIO_START(aio_read, aiocb, OP_AIO_READ)
WRAP_AIO_START(aio_read64, aiocb64, OP_AIO_READ)
WRAP_AIO_START(aio_write, aiocb, OP_AIO_WRITE)
WRAP_AIO_START(aio_write64, aiocb64, OP_AIO_WRITE)
WRAP_AIO_ERROR(aio_error, aiocb)
WRAP_AIO_ERROR(aio_error64, aiocb64)
WRAP_AIO_RETURN(aio_return, aiocb)
WRAP_AIO_RETURN(aio_return64, aiocb64)

#include "recorder-aio.h"

static struct ring *ring_of(const void *sqes, int fd);
static int ring_mapped(int fd, uint64_t offset, char *at);
static void ring_unknown(int fd);
static void ring_closed(int fd);

/* ---- mappings: kept apart, no accesses ----------------------------------------------------------------------------- */

/* Programs that make the system calls of io_uring themselves still map its rings. */
static int is_ring(int fd)
{
    struct stat st;
    char path[PATH_MAX];
    int saved = errno, found = 0;
    if (!setup.sandboxed && !(known_entry(fd) & FD_KNOWN) && own_fstat(fd, &st) == 0 &&
        (st.st_mode & S_IFMT) == 0)
        found = read_fd_link(fd, path, sizeof path) > 0 && strcmp(path, "anon_inode:[io_uring]") == 0;
    errno = saved;
    return found;
}

/*
 * Liburing linked statically makes all its system calls itself, and maps its rings with them. But a ring has a descriptor: the
 * one below that of a file opened later. Whether liburing's functions name it after all is seen at the end.
 */
SLOW static void look_beside(int fd)
{
    if (is_vfork_child()) return;
    process->fd_looked[fd] = 1;
    if (!is_ring(fd) || ring_of(NULL, fd)) return;
    uint32_t number = __atomic_fetch_add(&process->strange_ring_count, 1, __ATOMIC_RELAXED);
    if (number < STRANGE_RINGS_MAX) process->strange_rings[number] = fd;
}
static inline void notice_beside(int fd)
{
    if (UNLIKELY(!is_on()) || fd <= 2 || !in_table(fd)) return;
    if (UNLIKELY(!process->fds[fd] && !process->fd_names[fd] && !process->fd_epochs[fd] && !process->fd_looked[fd]))
        look_beside(fd);
}

/* Allocators map before anything is set up, so this one does not look for the next definition. */
static void *map_noted(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
    long result = RAW(SYS_mmap, at, size, protection, flags, fd, offset);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return MAP_FAILED;
    }
    if (fd >= 0 && !(flags & MAP_ANONYMOUS) && __atomic_load_n(&mode, __ATOMIC_ACQUIRE) == MODE_ON) {
        struct span span;
        if (is_ring(fd)) {
            if (!ring_mapped(fd, (uint64_t)offset, (char *)result)) ring_unknown(fd);
        } else if (begin_with(&span, entry_apart(fd))) {
            int written = (flags & MAP_SHARED) && (protection & PROT_WRITE);
            record(OP_MAP, entry_flags(span.entry) | (written ? FLAG_WRITE : 0), span.entry & 0xffff, size,
                   MOVED_UNKNOWN, span.start_ns, span.start_ns);
        }
    }
    return (void *)result;
}
EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map_noted(at, size, protection, flags, fd, offset);
}
EXPORT void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return map_noted(at, size, protection, flags, fd, offset);
}

/*
 * Variadic functions under their own names but with fixed parameters: on our machines a caller cannot tell, and what is
 * not ours can be handed on by a jump.
 */
#define WRAP_AS(type, name, parameters)                        \
    static type(*real_##name) parameters;                      \
    type wrapped_##name parameters __asm__(#name);             \
    EXPORT type wrapped_##name parameters

#include "recorder-metadata.h"
#include "recorder-walks.h"
#include "recorder-streams.h"
#include "recorder-uring.h"

/* ---- descriptors that change hands -------------------------------------------------------------------------------- */

static inline int duplicated(int from, int result)
{
    if (result < 0 || result == from) return result;
    forget(result);
    duplicate_position(from, result);
    if (in_table(from) && process->fd_names[from]) note_descriptor(result, process->fd_names[from]);
    return result;
}
#define DUPLICATES(from, call) return is_on() ? duplicated(from, call) : (call)
WRAP_IN(int, dup2, (int from, int to), (from, to), DUPLICATES, from)
WRAP_IN(int, dup3, (int from, int to, int flags), (from, to, flags), DUPLICATES, from)
WRAP_IN(int, dup, (int from), (from), DUPLICATES, from)
WRAP(int, close_range, (unsigned first, unsigned last, int flags))
{
    forget_range(first, last);
    return REAL(close_range)(first, last, flags);
}
WRAP(void, closefrom, (int first))
{
    forget_range(first < 0 ? 0 : (unsigned)first, UINT_MAX);
    REAL(closefrom)(first);
}

/*
 * fprintf, fgets, getc and the like leave no record. That a stream was used by them shows at its end: its position is
 * beyond what fread and fwrite account for. Where the program moves the position, it is read before and counting starts
 * again; that costs two system calls, so streams with many moves are no longer followed.
 */
#define STREAMS_TOLD_MAX 8
#define STREAM_MOVES_MAX 1000
#define STREAM_MOVED (UINT64_MAX / 2)
static int is_used_unseen(FILE *stream, int fd)
{
    size_t room = __fbufsize(stream);
    long position = RAW(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    int is_known = (known_entry(fd) & FD_KNOWN) != 0;
    /* The first use makes the buffer. */
    if (room == 0 || position < 0) return 0;
    /* Nobody knows where these were at the start. */
    if (is_known && (stream == stdin || stream == stdout || stream == stderr)) return 0;
    /* Libc reads ahead, up to a buffer beyond what the program has got. */
    uint64_t ahead = is_known && !__fwriting(stream) ? room : 0;
    return (uint64_t)position + __fpending(stream) > process->stream_seen[fd] - 1 + ahead;
}
static void look_at_stream(FILE *stream)
{
    int fd = stream_descriptor(stream);
    struct stat st;
    char path[PATH_MAX];
    /* Streams that a child took over from its parent are the parent's to tell of. */
    if (fd < 0 || (unsigned)fd >= FDS_MAX || !process->stream_seen[fd] || (known_entry(fd) & FD_SKIP)) return;
    if (setup.sandboxed || process->streams_told >= STREAMS_TOLD_MAX) return;
    int saved = errno;
    if (is_used_unseen(stream, fd) && own_fstat(fd, &st) == 0 && path_of(fd, &st, path) > 0) {
        process->streams_told++;
        tell_unseen("stream", path);
    }
    errno = saved;
}
static void count_stream_from_here(int fd)
{
    long position = RAW(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    process->stream_seen[fd] = position < 0 ? STREAM_MOVED : (uint64_t)position + 1;
}
static FILE *stream_opened(FILE *stream)
{
    int fd = stream && is_on() && !streams_patched ? stream_descriptor(stream) : -1;
    if (fd < 0 || (unsigned)fd >= FDS_MAX) return stream;
    count_stream_from_here(fd);
    for (unsigned i = 0; i < STREAMS_MAX; i++) {
        FILE *nobody = NULL;
        if (__atomic_compare_exchange_n(&process->streams[i], &nobody, stream, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) break;
    }
    return stream;
}
static void stream_closes(FILE *stream)
{
    if (!stream || !is_on() || has_our_table(stream)) return;
    look_at_stream(stream);
    for (unsigned i = 0; i < STREAMS_MAX; i++)
        if (process->streams[i] == stream) process->streams[i] = NULL;
    forget(stream_descriptor(stream));
}
static void look_at_open_streams(void)
{
    /* stderr is for people. */
    FILE *const standard[] = {stdin, stdout};
    if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) != MODE_ON || is_vfork_child()) return;
    for (unsigned i = 0; i < 2; i++)
        if (standard[i]) look_at_stream(standard[i]);
    for (unsigned i = 0; i < STREAMS_MAX; i++)
        if (process->streams[i]) look_at_stream(process->streams[i]);
}
static FILE *stream_opened_new(FILE *stream)
{
    if (stream && is_on()) {
        int fd = stream_descriptor(stream);
        forget(fd);
        /* Streams to append are moved to the end. */
        if (streams_patched) own_position(fd, 0);
    }
    return stream_opened(stream);
}
/* Without a path: of a file that has no name, or of the one that the stream had. */
static FILE *stream_opened_by(FILE *stream, const char *path, uint64_t start_ns)
{
    int fd = stream ? stream_descriptor(stream) : -1;
    stream_opened_new(stream);
    if (path) finish_path(OP_FOPEN, AT_FDCWD, path, stream == NULL, 0, fd, start_ns);
    else if (fd >= 0) finish_descriptor(OP_FOPEN, fd, 0, 0, start_ns);
    return stream;
}
#define OPENS_STREAM(path, call)                           \
    if (!is_on()) return call;                             \
    if (!setup.metadata) return stream_opened_new(call);   \
    uint64_t start_ns = now();                             \
    return stream_opened_by(call, path, start_ns)
WRAP_IN(FILE *, fopen, (const char *path, const char *how), (path, how), OPENS_STREAM, path)
WRAP_IN(FILE *, fopen64, (const char *path, const char *how), (path, how), OPENS_STREAM, path)
WRAP_IN(FILE *, tmpfile, (void), (), OPENS_STREAM, NULL)
WRAP_IN(FILE *, tmpfile64, (void), (), OPENS_STREAM, NULL)
WRAP(FILE *, fdopen, (int fd, const char *how))
{
    FILE *stream = REAL(fdopen)(fd, how);
    /* libc may have set O_APPEND by itself. */
    if (stream && is_on() && in_table(fd)) process->fds[fd] = 0;
    return stream_opened(stream);
}
/* The descriptor, or -1 when the stream is not watched (any more). */
static int stream_moves(FILE *stream)
{
    int fd = is_on() ? stream_descriptor(stream) : -1;
    if (fd < 0 || (unsigned)fd >= FDS_MAX || !process->stream_seen[fd] || process->stream_seen[fd] >= STREAM_MOVED) return -1;
    look_at_stream(stream);
    if (__atomic_fetch_add(&process->stream_moves, 1, __ATOMIC_RELAXED) < STREAM_MOVES_MAX) return fd;
    process->stream_seen[fd] = STREAM_MOVED;
    return -1;
}
#define WRAP_SEEK(name, parameters, arguments)     \
    WRAP(int, name, parameters)                    \
    {                                              \
        int fd = stream_moves(stream);             \
        int result = REAL(name) arguments;         \
        if (fd >= 0) stream_moved(fd);             \
        return result;                             \
    }
static void stream_moved(int fd)
{
    int saved = errno;
    count_stream_from_here(fd);
    errno = saved;
}
WRAP_SEEK(fseek, (FILE *stream, long to, int from), (stream, to, from))
WRAP_SEEK(fseeko, (FILE *stream, off_t to, int from), (stream, to, from))
WRAP_SEEK(fseeko64, (FILE *stream, off64_t to, int from), (stream, to, from))
WRAP_SEEK(fsetpos, (FILE *stream, const fpos_t *to), (stream, to))
WRAP_SEEK(fsetpos64, (FILE *stream, const fpos64_t *to), (stream, to))
WRAP(void, rewind, (FILE *stream))
{
    int fd = stream_moves(stream);
    REAL(rewind)(stream);
    if (fd >= 0) stream_moved(fd);
}
WRAP(int, fclose, (FILE *stream))
{
    stream_closes(stream);
    return REAL(fclose)(stream);
}
WRAP(int, pclose, (FILE *stream))
{
    if (is_on() && stream) forget(stream_descriptor(stream));
    return REAL(pclose)(stream);
}
WRAP(FILE *, freopen, (const char *path, const char *how, FILE *stream))
{
    stream_closes(stream);
    OPENS_STREAM(path, REAL(freopen)(path, how, stream));
}
WRAP(FILE *, freopen64, (const char *path, const char *how, FILE *stream))
{
    stream_closes(stream);
    OPENS_STREAM(path, REAL(freopen64)(path, how, stream));
}

static inline int changed(int fd, int command, int result)
{
    if (command == F_SETFL && in_table(fd)) {
        process->fds[fd] = 0;
        if (process->fd_cells[fd]) FOR_ALL_OF_CELL(process->fd_cells[fd], other) process->fds[other] = 0;
    } else if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return duplicated(fd, result);
    return result;
}
#define CHANGES(fd, command, call) return is_on() ? changed(fd, command, call) : (call)
WRAP_AS(int, fcntl, (int fd, int command, void *argument))
{
    CHANGES(fd, command, REAL(fcntl)(fd, command, argument));
}
WRAP_AS(int, fcntl64, (int fd, int command, void *argument))
{
    CHANGES(fd, command, REAL(fcntl64)(fd, command, argument));
}

/* ---- ends, children and sandboxes --------------------------------------------------------------------------------- */

/* Adds to what all processes of the run have seen and left out. */
static void tell_totals(void)
{
    struct process *p = process;
    char path[PATH_MAX + 16];
    uint64_t read_bytes = __atomic_load_n(&p->other_read, __ATOMIC_RELAXED) - p->told_read;
    uint64_t written = __atomic_load_n(&p->other_written, __ATOMIC_RELAXED) - p->told_written;
    if (setup.sandboxed || (p->ended && read_bytes == 0 && written == 0)) return;
    snprintf(path, sizeof path, "%s/totals", setup.folder);
    int fd = raw_open(path, O_RDWR, 0);
    struct stat st;
    uint64_t *totals = fd >= 0 && own_fstat(fd, &st) == 0 && st.st_size >= 4096
                           ? raw_map(4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                           : NULL;
    if (fd >= 0) raw_close(fd);
    if (!totals) return;
    __atomic_fetch_add(&totals[0], read_bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&totals[1], written, __ATOMIC_RELAXED);
    __atomic_fetch_add(&totals[2], p->ended ? 0 : 1, __ATOMIC_RELAXED);
    p->told_read += read_bytes;
    p->told_written += written;
    RAW(SYS_munmap, totals, 4096, 0, 0, 0, 0);
}

static void mark_end(void)
{
    if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) != MODE_ON) return;
    /* A child of vfork shares our memory, not our end. */
    if (is_vfork_child()) return;
    tell_totals();
    struct header *header = process->header;
    if (!header) return;
    clock_pair(&header->end_monotonic, &header->end_realtime, &header->end_spread);
    __atomic_fetch_or(&header->flags, HEADER_ENDED, __ATOMIC_RELAXED);
}
static void end_of_program(void)
{
    look_at_open_streams();
    look_at_open_rings();
    mark_end();
    if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) == MODE_ON && !is_vfork_child()) process->ended = 1;
}
__attribute__((destructor)) static void on_exit_of_program(void)
{
    end_of_program();
}
__attribute__((constructor)) static void on_start_of_program(void)
{
    if (start() != MODE_ON) return;
    int saved = errno;
    if (setup.streams) patch_streams();
    if (!streams_patched)
        for (int fd = 0; fd < 2; fd++) process->stream_seen[fd] = 1;
    errno = saved;
}

WRAP_AS(void, _exit, (int status))
{
    end_of_program();
    REAL(_exit)(status);
    __builtin_unreachable();
}
WRAP_AS(void, _Exit, (int status))
{
    end_of_program();
    REAL(_Exit)(status);
    __builtin_unreachable();
}

/* Space for what comes, while the file of the trace can still be reached. */
static struct header *take_space_ahead(void)
{
    enter_process();
    struct header *header = trace_header();
    if (!header) return NULL;
    uint64_t slot = __atomic_load_n(&header->count, __ATOMIC_RELAXED) + HEADER_SLOTS;
    for (int ahead = 0; ahead < 2; ahead++) {
        uint64_t chunk = (slot >> CHUNK_SHIFT) + (uint64_t)ahead;
        if (!process->chunks[chunk]) grow(chunk);
    }
    return header;
}

/* From here on a system call that the program does not expect can be its end: take what is needed now. */
static void enter_sandbox(void)
{
    if (!is_on() || setup.sandboxed) return;
    struct header *header = take_space_ahead();
    if (header) __atomic_fetch_or(&header->flags, HEADER_SANDBOX, __ATOMIC_RELAXED);
    for (int fd = 0; fd < 64; fd++)
        if (!(process->fds[fd] & FD_KNOWN)) look_up_and_keep(fd);
    thread_id();
    setup.sandboxed = 1;
}
/* Strict mode takes the time stamp counter away, and with it the clock: no record from here on. */
#define without_clock(call)                                                   \
    ({                                                                        \
        int mode_before = __atomic_exchange_n(&mode, MODE_OFF, __ATOMIC_ACQ_REL); \
        struct header *header = process ? process->header : NULL;             \
        if (header) __atomic_fetch_or(&header->flags, HEADER_STRICT, __ATOMIC_RELAXED); \
        __auto_type result = (call);                                          \
        if (result != 0 && header) __atomic_fetch_and(&header->flags, ~HEADER_STRICT, __ATOMIC_RELAXED); \
        if (result != 0) __atomic_store_n(&mode, mode_before, __ATOMIC_RELEASE); \
        result;                                                               \
    })
WRAP_AS(int, prctl, (int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d))
{
    int strict = option == PR_SET_SECCOMP && a == 1, no_counter = option == PR_SET_TSC && a == PR_TSC_SIGSEGV;
    if (option == PR_SET_SECCOMP || no_counter) enter_sandbox();
    if (strict || no_counter) return without_clock(REAL(prctl)(option, a, b, c, d));
    return REAL(prctl)(option, a, b, c, d);
}

/*
 * Behind another root, or as another user, the trace and the recorder may be out of reach: this process continues with the
 * space it has, but its children and the programs it starts are not seen. The file to say that in is opened before.
 */
static int can_reach_trace(void)
{
    const char *library = setup.preload + sizeof "LD_PRELOAD=" - 1;
    return own_euidaccess(setup.folder, W_OK | X_OK) == 0 && (!setup.preload[0] || own_euidaccess(library, R_OK) == 0);
}
static int begin_leaving(int leaves)
{
    if (!leaves || !is_on() || setup.sandboxed || is_vfork_child()) return -1;
    int saved = errno, log = open_unseen();
    if (log >= 0) take_space_ahead();
    errno = saved;
    return log;
}
static long end_leaving(int log, long result, const char *what, const char *detail)
{
    int saved = errno;
    if (log < 0) return result;
    if (result == 0 && !can_reach_trace()) write_unseen(log, what, detail);
    raw_close(log);
    errno = saved;
    return result;
}
static int is_other_user(uid_t user)
{
    return user != (uid_t)-1 && user != geteuid();
}
#define WRAP_LEAVING(leaves, what, detail, name, parameters, arguments) \
    WRAP(int, name, parameters)                                         \
    {                                                                   \
        int log = begin_leaving(leaves);                                \
        return (int)end_leaving(log, REAL(name) arguments, what, detail); \
    }
WRAP_LEAVING(1, "root", path, chroot, (const char *path), (path))
WRAP_LEAVING(is_other_user(user), "user", "", setuid, (uid_t user), (user))
WRAP_LEAVING(is_other_user(effective), "user", "", setreuid, (uid_t real, uid_t effective), (real, effective))
WRAP_LEAVING(is_other_user(effective), "user", "", setresuid, (uid_t real, uid_t effective, uid_t saved),
             (real, effective, saved))

/* A program that builds a new environment for its child would lose us there. */
static int names_variable(const char *entry, const char *setting)
{
    size_t length = strcspn(setting, "=") + 1;
    return strncmp(entry, setting, length) == 0;
}
static int is_complete(char *const *environment)
{
    if (!is_on() || !setup.preload[0] || !environment) return 1;
    int found = 0;
    const char *library = setup.preload + sizeof "LD_PRELOAD=" - 1;
    for (char *const *one = environment; *one; one++) {
        if (names_variable(*one, setup.preload)) found |= strstr(*one, library) ? 1 : 0;
        else if (names_variable(*one, setup.variable)) found |= 2;
    }
    return found == 3;
}
static size_t count_entries(char *const *list)
{
    size_t count = 0;
    if (list)
        while (list[count]) count++;
    return count;
}
#define ENVIRONMENT_MAX 16384
#define PRELOAD_MAX (2 * PATH_MAX)
/* `into` has room for two entries more and the end; `text` for PRELOAD_MAX characters. */
static char **completed(char *const *environment, char **into, char *text)
{
    size_t count = 0;
    const char *library = setup.preload + sizeof "LD_PRELOAD=" - 1;
    snprintf(text, PRELOAD_MAX, "%s", setup.preload);
    for (char *const *one = environment; *one; one++) {
        if (names_variable(*one, setup.variable)) continue;
        if (names_variable(*one, setup.preload)) {
            const char *theirs = *one + sizeof "LD_PRELOAD=" - 1;
            if (strstr(theirs, library)) snprintf(text, PRELOAD_MAX, "%s", *one);
            else if (*theirs) snprintf(text, PRELOAD_MAX, "%s:%s", setup.preload, theirs);
            continue;
        }
        into[count++] = *one;
    }
    into[count++] = text;
    into[count++] = setup.variable;
    into[count] = NULL;
    return into;
}
/* Where the library is out of reach, the loader would complain of it to the user. */
static char **without_us(char *const *environment, char **into, char *text)
{
    size_t count = 0, length = 0;
    const char *library = setup.preload + sizeof "LD_PRELOAD=" - 1;
    for (char *const *one = environment; *one; one++) {
        if (names_variable(*one, setup.variable)) continue;
        if (!names_variable(*one, setup.preload)) {
            into[count++] = *one;
            continue;
        }
        for (const char *at = *one + sizeof "LD_PRELOAD=" - 1; *at;) {
            size_t size = strcspn(at, ": ");
            int is_ours = size == strlen(library) && strncmp(at, library, size) == 0;
            if (size > 0 && !is_ours && length + size + 16 < PRELOAD_MAX)
                length += (size_t)snprintf(text + length, PRELOAD_MAX - length, "%s%.*s", length ? ":" : "LD_PRELOAD=",
                                           (int)size, at);
            at += size + (at[size] != 0);
        }
        if (length) into[count++] = text;
    }
    into[count] = NULL;
    return into;
}
static int can_load(void)
{
    int saved = errno, fine = !is_on() || !setup.preload[0] || setup.sandboxed ||
                              own_euidaccess(setup.preload + sizeof "LD_PRELOAD=" - 1, R_OK) == 0;
    errno = saved;
    return fine;
}
/* The environment with us in it, on the stack of the caller: a child of vfork must not allocate. */
#define CHANGED(change, environment) \
    (char *const *)change(environment, alloca((count_entries(environment) + 3) * sizeof(char *)), alloca(PRELOAD_MAX))
#define WITH_RECORDER(environment)                                                         \
    (!(environment) || count_entries(environment) > ENVIRONMENT_MAX ? (char *const *)(environment) \
     : !can_load()             ? CHANGED(without_us, environment)                          \
     : is_complete(environment) ? (char *const *)(environment)                             \
                                : CHANGED(completed, environment))

extern char **environ;

/* ---- programs that the recorder cannot be loaded into -------------------------------------------------------------- */

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#else
#define OWN_MACHINE EM_AARCH64
#endif

/* Why, or NULL. The linker of Go leaves a note with its name; such a program makes system calls by itself. */
static const char *reason_of_image(int fd)
{
    union {
        Elf64_Ehdr elf;
        char bytes[1024];
    } head;
    uint32_t note[4];
    long size = RAW(SYS_pread64, fd, &head, sizeof head, 0, 0, 0);
    if (size < (long)sizeof head.elf || memcmp(head.elf.e_ident, ELFMAG, SELFMAG) != 0) return NULL;
    if (head.elf.e_ident[EI_CLASS] != ELFCLASS64 || head.elf.e_machine != OWN_MACHINE) return "machine";
    if (head.elf.e_phentsize != sizeof(Elf64_Phdr)) return NULL;
    int is_dynamic = 0;
    for (unsigned i = 0; i < head.elf.e_phnum; i++) {
        Elf64_Phdr part;
        if (head.elf.e_phoff + (i + 1) * sizeof part > (uint64_t)size) return NULL;
        memcpy(&part, head.bytes + head.elf.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_INTERP) is_dynamic = 1;
        if (part.p_type == PT_NOTE && RAW(SYS_pread64, fd, note, sizeof note, part.p_offset, 0, 0) == sizeof note &&
            note[0] == 4 && memcmp(&note[3], "Go\0", 4) == 0)
            return "go";
    }
    return is_dynamic ? NULL : "static";
}
/* As the kernel sees it, which then has the loader leave us out. */
static int gains_privileges(const char *path, const struct stat *st)
{
    char capabilities[64];
    if ((st->st_mode & S_ISUID) && st->st_uid != geteuid()) return 1;
    if ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != getegid()) return 1;
    return geteuid() != 0 && RAW(SYS_getxattr, path, "security.capability", capabilities, sizeof capabilities, 0, 0) > 0;
}
SLOW static void note_program(const char *path)
{
    struct stat st;
    if (!is_on() || setup.sandboxed || !path) return;
    int saved = errno;
    if (RAW(SYS_newfstatat, AT_FDCWD, path, &st, 0, 0, 0) == 0 && S_ISREG(st.st_mode)) {
        const char *reason = gains_privileges(path, &st) ? "set-uid" : NULL;
        int fd = reason ? -1 : raw_open(path, O_RDONLY, 0);
        if (fd >= 0) {
            reason = reason_of_image(fd);
            raw_close(fd);
        }
        if (!reason && !can_load()) reason = "no-library";
        if (reason) tell_unseen(reason, path);
    }
    errno = saved;
}
/* The program that a name without a slash means. */
static void note_searched(const char *name)
{
    char path[1024];
    if (!is_on() || !name || strchr(name, '/')) return note_program(name);
    int saved = errno;
    const char *places = getenv("PATH");
    for (const char *at = places ? places : "/bin:/usr/bin"; at;) {
        size_t size = strcspn(at, ":");
        int length = snprintf(path, sizeof path, "%.*s%s%s", (int)size, at, size ? "/" : "", name);
        if (length > 0 && (size_t)length < sizeof path && own_euidaccess(path, X_OK) == 0) {
            note_program(path);
            break;
        }
        at = at[size] ? at + size + 1 : NULL;
    }
    errno = saved;
}

/* What the program ignores stays ignored behind exec; handlers do not. */
static void before_exec(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    share_all_positions();
    mark_end();
    if (bus_guarded && bus_theirs.sa_handler == SIG_IGN) REAL(sigaction)(SIGBUS, &ignore, NULL);
}
WRAP(int, execve, (const char *path, char *const argv[], char *const envp[]))
{
    note_program(path);
    before_exec();
    return REAL(execve)(path, argv, WITH_RECORDER(envp));
}
WRAP(int, execvpe, (const char *path, char *const argv[], char *const envp[]))
{
    note_searched(path);
    before_exec();
    return REAL(execvpe)(path, argv, WITH_RECORDER(envp));
}
WRAP(int, fexecve, (int fd, char *const argv[], char *const envp[]))
{
    before_exec();
    return REAL(fexecve)(fd, argv, WITH_RECORDER(envp));
}
EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}
EXPORT int execvp(const char *path, char *const argv[])
{
    return execvpe(path, argv, environ);
}
#define COLLECT_ARGUMENTS(first, list, argv)                                  \
    size_t words = 1;                                                         \
    va_list list;                                                             \
    va_start(list, first);                                                    \
    while (va_arg(list, char *)) words++;                                     \
    va_end(list);                                                             \
    char **argv = alloca((words + 1) * sizeof(char *));                       \
    va_start(list, first);                                                    \
    argv[0] = (char *)first;                                                  \
    for (size_t i = 1; i <= words; i++) argv[i] = va_arg(list, char *)
EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT_ARGUMENTS(first, list, argv);
    va_end(list);
    return execve(path, argv, environ);
}
EXPORT int execlp(const char *path, const char *first, ...)
{
    COLLECT_ARGUMENTS(first, list, argv);
    va_end(list);
    return execvpe(path, argv, environ);
}
EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT_ARGUMENTS(first, list, argv);
    char *const *envp = va_arg(list, char *const *);
    va_end(list);
    return execve(path, argv, envp);
}
WRAP(int, posix_spawn, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]))
{
    note_program(path);
    share_all_positions();
    return REAL(posix_spawn)(pid, path, actions, attributes, argv, WITH_RECORDER(envp));
}
WRAP(int, posix_spawnp, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]))
{
    note_searched(path);
    share_all_positions();
    return REAL(posix_spawnp)(pid, path, actions, attributes, argv, WITH_RECORDER(envp));
}

/* These start a child without a word to anybody. */
WRAP(int, system, (const char *command))
{
    share_all_positions();
    return REAL(system)(command);
}
WRAP(FILE *, popen, (const char *command, const char *how))
{
    share_all_positions();
    return REAL(popen)(command, how);
}

/* ---- syscall() ---------------------------------------------------------------------------------------------------- */

static long (*real_syscall)(long number, long a, long b, long c, long d, long e, long f);
static int close_by_number(int fd)
{
    return (int)REAL(syscall)(SYS_close, fd, 0, 0, 0, 0, 0);
}
WRAP_AS(long, syscall, (long number, long a, long b, long c, long d, long e, long f))
{
#define HAND_ON REAL(syscall)(number, a, b, c, d, e, f)
#define CASE(known, action) case known: { action; }
    switch (number) {
    CASE(SYS_read, TIMED(OP_READ, 0, (int)a, (size_t)c, HAND_ON))
    CASE(SYS_write, TIMED(OP_WRITE, FLAG_WRITE, (int)a, (size_t)c, HAND_ON))
    CASE(SYS_pread64, TIMED_AT(OP_PREAD, 0, (int)a, (size_t)c, d, HAND_ON))
    CASE(SYS_pwrite64, TIMED_AT(OP_PWRITE, FLAG_WRITE, (int)a, (size_t)c, d, HAND_ON))
    CASE(SYS_readv, TIMED_VECTOR(OP_READV, 0, (int)a, (const struct iovec *)b, (int)c, HAND_ON))
    CASE(SYS_writev, TIMED_VECTOR(OP_WRITEV, FLAG_WRITE, (int)a, (const struct iovec *)b, (int)c, HAND_ON))
    CASE(SYS_preadv, TIMED_VECTOR_AT(OP_PREADV, 0, (int)a, (const struct iovec *)b, (int)c, d, HAND_ON))
    CASE(SYS_preadv2, TIMED_VECTOR_HOW(OP_PREADV, 0, (int)a, (const struct iovec *)b, (int)c, d, (int)f, HAND_ON))
    CASE(SYS_pwritev, TIMED_VECTOR_AT(OP_PWRITEV, FLAG_WRITE, (int)a, (const struct iovec *)b, (int)c, d, HAND_ON))
    CASE(SYS_pwritev2, TIMED_VECTOR_HOW(OP_PWRITEV, FLAG_WRITE, (int)a, (const struct iovec *)b, (int)c, d, (int)f, HAND_ON))
    CASE(SYS_sendfile, TIMED_COPY(OP_SENDFILE_READ, OP_SENDFILE_WRITE, (int)b, (const void *)c, (int)a, NULL, (size_t)d, HAND_ON))
    CASE(SYS_copy_file_range, TIMED_COPY(OP_COPY_READ, OP_COPY_WRITE, (int)a, (const void *)b, (int)c, (const void *)d, (size_t)e, HAND_ON))
    CASE(SYS_splice, TIMED_COPY(OP_SPLICE_READ, OP_SPLICE_WRITE, (int)a, (const void *)b, (int)c, (const void *)d, (size_t)e, HAND_ON))
    case SYS_fsync:
    case SYS_sync_file_range:
    CASE(SYS_fdatasync, TIMED_SYNC((int)a, HAND_ON))
    CASE(SYS_syncfs, SYNC_OF_ALL(HAND_ON))
    case SYS_close:
        return close_noted(close_by_number, (int)a);
#ifdef SYS_open
    CASE(SYS_open, OPENS(AT_FDCWD, (const char *)a, HAND_ON))
#endif
#ifdef SYS_openat2
    case SYS_openat2:
#endif
    CASE(SYS_openat, OPENS((int)a, (const char *)b, HAND_ON))
#ifdef SYS_stat
    case SYS_stat:
    CASE(SYS_lstat, BY_PATH(OP_STAT, AT_FDCWD, (const char *)a, HAND_ON))
    CASE(SYS_access, BY_PATH(OP_ACCESS, AT_FDCWD, (const char *)a, HAND_ON))
    CASE(SYS_unlink, BY_PATH(OP_UNLINK, AT_FDCWD, (const char *)a, HAND_ON))
    CASE(SYS_rename, BY_PATH(OP_RENAME, AT_FDCWD, (const char *)a, HAND_ON))
    CASE(SYS_mkdir, BY_PATH(OP_MKDIR, AT_FDCWD, (const char *)a, HAND_ON))
    CASE(SYS_rmdir, BY_PATH(OP_RMDIR, AT_FDCWD, (const char *)a, HAND_ON))
    CASE(SYS_readlink, BY_PATH(OP_READLINK, AT_FDCWD, (const char *)a, HAND_ON))
#endif
    case SYS_newfstatat:
    CASE(SYS_statx, BY_PATH(OP_STAT, (int)a, (const char *)b, HAND_ON))
#ifdef SYS_faccessat2
    case SYS_faccessat2:
#endif
    CASE(SYS_faccessat, BY_PATH(OP_ACCESS, (int)a, (const char *)b, HAND_ON))
    CASE(SYS_unlinkat, BY_PATH(c & AT_REMOVEDIR ? OP_RMDIR : OP_UNLINK, (int)a, (const char *)b, HAND_ON))
    case SYS_renameat:
    CASE(SYS_renameat2, BY_PATH(OP_RENAME, (int)a, (const char *)b, HAND_ON))
    CASE(SYS_mkdirat, BY_PATH(OP_MKDIR, (int)a, (const char *)b, HAND_ON))
    CASE(SYS_readlinkat, BY_PATH(OP_READLINK, (int)a, (const char *)b, HAND_ON))
    CASE(SYS_fstat, BY_FD(OP_STAT, (int)a, HAND_ON))
    CASE(SYS_lseek, MOVES((int)a, HAND_ON))
    CASE(SYS_ftruncate, BY_FD_OF(OP_TRUNCATE, (int)a, (uint64_t)b, result < 0, HAND_ON))
    CASE(SYS_fallocate, BY_FD_OF(OP_ALLOCATE, (int)a, (uint64_t)d, result < 0, HAND_ON))
    CASE(SYS_getdents64, BY_FD(OP_READDIR, (int)a, HAND_ON))
    case SYS_chdir:
    case SYS_fchdir:
        return moved_to_folder((int)HAND_ON);
    case SYS_close_range:
        forget_range((unsigned)a, (unsigned)b);
        break;
#ifdef SYS_dup2
    case SYS_dup2:
#endif
    case SYS_dup:
    CASE(SYS_dup3, DUPLICATES((int)a, (int)HAND_ON))
    case SYS_seccomp:
        enter_sandbox();
        /* SECCOMP_SET_MODE_STRICT */
        if (a == 0) return without_clock(HAND_ON);
        break;
    case SYS_exit_group:
        end_of_program();
        break;
    CASE(SYS_io_submit, SUBMITS((struct iocb **)c, b, HAND_ON))
#ifdef SYS_io_pgetevents
    case SYS_io_pgetevents:
#endif
    CASE(SYS_io_getevents, REAPS((const struct io_event *)d, HAND_ON))
    case SYS_io_uring_setup: {
        long result = HAND_ON;
        if (result >= 0) ring_set_up((int)result, (const struct ring_parameters *)b);
        return result;
    }
    CASE(SYS_io_uring_enter, ENTERS((int)a, HAND_ON))
    case SYS_io_uring_register: {
        long result = HAND_ON;
        if (result >= 0) ring_registered((int)a, (unsigned)b, (const void *)c, (unsigned)d);
        return result;
    }
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
#endif
    case SYS_clone:
        share_all_positions();
        break;
    case SYS_chroot:
    case SYS_pivot_root: {
        int log = begin_leaving(1);
        return end_leaving(log, HAND_ON, "root", (const char *)a);
    }
    }
    return HAND_ON;
}

/* ---- MPI-IO ------------------------------------------------------------------------------------------------------- */

/*
 * Without mpi.h: a handle is an int in MPICH and its derivatives and a pointer in Open MPI, and both travel in one register as a
 * machine word. Only arrays of requests and what a request variable holds need to know which; files are pointers in both.
 */
typedef intptr_t word;

static void *find_mpi_only(const char *name)
{
    return find_in(name, "mpi");
}
/* `name` is that of the profiling interface, P and all, for the second and third try. */
static void *find_mpi(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name + 1);
    return found ? found : find_mpi_only(name);
}
#define MPI_ERROR_OTHER 15
static int mpi_missing(void)
{
    return MPI_ERROR_OTHER;
}
SLOW static void *resolve_mpi(void **real, const char *name)
{
    void *found = find_mpi(name);
    return *real = found ? found : (void *)mpi_missing;
}
#define WRAP_MPI(name, parameters)         \
    static int(*real_P##name) parameters;  \
    EXPORT int name parameters;            \
    EXPORT int name parameters
#define REAL_MPI(name) \
    ((__typeof__(real_P##name))(LIKELY(real_P##name != NULL) ? (void *)real_P##name : resolve_mpi((void **)&real_P##name, "P" #name)))

static int requests_are_pointers(void)
{
    static int known;
    if (!known) known = find_mpi_only("ompi_mpi_comm_world") ? 2 : 1;
    return known == 2;
}
static word request_at(const void *requests, int index)
{
    return requests_are_pointers() ? ((const word *)requests)[index] : (word)((const int *)requests)[index];
}

static uint64_t type_bytes(word type)
{
    static int (*size_x)(word, int64_t *);
    static int (*size_plain)(word, int *);
    if (!size_x && !size_plain) {
        *(void **)&size_x = find_mpi_only("PMPI_Type_size_x");
        *(void **)&size_plain = find_mpi_only("PMPI_Type_size");
    }
    int64_t large = 0;
    int small = 0;
    if (size_x && size_x(type, &large) == 0 && large > 0) return (uint64_t)large;
    if (size_plain && size_plain(type, &small) == 0 && small > 0) return (uint64_t)small;
    return 0;
}

/* Open files, and the one split collective that each may have under way. */
#define MPI_FILES_MAX 4096
struct mpi_file {
    word handle;
    uint32_t entry;
    uint64_t split_start, split_bytes, split_offset;
    unsigned split_flags;
    /* Where the view of this rank begins, and the bytes of its unit; 0 when the view has gaps. */
    uint64_t view_start, view_unit;
};
static struct mpi_file mpi_files[MPI_FILES_MAX];

static struct mpi_file *mpi_file_of(word handle)
{
    for (unsigned tries = 0; handle && tries < MPI_FILES_MAX; tries++) {
        struct mpi_file *one = &mpi_files[((uint64_t)handle / 16 + tries) % MPI_FILES_MAX];
        word there = __atomic_load_n(&one->handle, __ATOMIC_ACQUIRE);
        if (there == handle) return one;
        if (there == 0) return NULL;
    }
    return NULL;
}
/* 1 marks what was closed: searches go on beyond it. */
static void add_mpi_file(word handle, uint32_t entry)
{
    struct mpi_file *known = mpi_file_of(handle);
    for (unsigned tries = 0; !known && handle && tries < MPI_FILES_MAX; tries++) {
        struct mpi_file *one = &mpi_files[((uint64_t)handle / 16 + tries) % MPI_FILES_MAX];
        word there = __atomic_load_n(&one->handle, __ATOMIC_ACQUIRE);
        if ((there == 0 || there == 1) &&
            __atomic_compare_exchange_n(&one->handle, &there, handle, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            known = one;
    }
    if (!known) return;
    known->entry = entry;
    known->view_start = 0;
    known->view_unit = 1;
}
static void mpi_file_opened(word handle, const char *name)
{
    char path[PATH_MAX];
    if (!is_on()) return;
    int saved = errno;
    enter_process();
    /* "ufs:/data/x" names the driver too. */
    const char *colon = strchr(name, ':');
    if (colon && colon - name < 16 && !memchr(name, '/', (size_t)(colon - name))) name = colon + 1;
    if (!own_realpath(name, path)) snprintf(path, sizeof path, "%s", name);
    uint32_t entry = FD_KNOWN;
    struct stat st;
    int fd = is_left_out(path, 0) ? -1 : raw_open(path, O_PATH, 0);
    uint64_t file_system = fd >= 0 && own_fstat(fd, &st) == 0 ? file_system_of(fd, &st, path) : 0;
    if (fd >= 0) raw_close(fd);
    if (is_left_out(path, 0)) entry |= FD_SKIP;
    else entry |= file_id(path, strlen(path), 0, file_system, 0);
    add_mpi_file(handle, entry);
    errno = saved;
}

/* A type that is no composition and has no gaps. */
static int is_plain_type(word type)
{
    static int (*envelope)(word, int *, int *, int *, int *);
    static int (*extent)(word, int64_t *, int64_t *);
    if (!envelope) *(void **)&envelope = find_mpi_only("PMPI_Type_get_envelope");
    if (!extent) *(void **)&extent = find_mpi_only("PMPI_Type_get_extent");
    int integers, addresses, types, combiner;
    int64_t from, size;
    return envelope && extent && envelope(type, &integers, &addresses, &types, &combiner) == 0 && integers == 0 &&
           addresses == 0 && types == 0 && extent(type, &from, &size) == 0 && from == 0 && (uint64_t)size == type_bytes(type);
}
static void mpi_view_changed(word file, int64_t start, word unit, word type, int is_native)
{
    struct mpi_file *known = is_on() ? mpi_file_of(file) : NULL;
    if (!known) return;
    known->view_start = (uint64_t)start;
    known->view_unit = is_native && start >= 0 && unit == type && is_plain_type(unit) ? type_bytes(unit) : 0;
}
/* From units of the view to bytes of the file. */
static uint64_t mpi_offset(word file, int64_t at)
{
    struct mpi_file *known = mpi_file_of(file);
    if (!known || !known->view_unit || at < 0) return OFFSET_UNKNOWN;
    return known->view_start + (uint64_t)at * known->view_unit;
}
/* Where the rank's own pointer is. That of all ranks together cannot be asked for without a lock. */
static uint64_t mpi_pointer(word file, unsigned op)
{
    static int (*position)(word, int64_t *);
    int64_t at;
    unsigned form = op & 15;
    if (form >= (OP_MPI_READ_SHARED & 15)) return OFFSET_UNKNOWN;
    if (!position) *(void **)&position = find_mpi_only("PMPI_File_get_position");
    return position && position(file, &at) == 0 ? mpi_offset(file, at) : OFFSET_UNKNOWN;
}

struct outer {
    struct outer_mark mark;
    uint64_t start_ns, offset;
    uint32_t entry;
    int counts;
};
/* Layers of MPI call each other; the outermost one is the access. */
static __thread int mpi_depth __attribute__((tls_model("initial-exec")));

static int begin_outer(struct outer *outer, word file, const char *frame)
{
    if (!is_on() || (mpi_depth > 0 && is_inside())) return 0;
    struct mpi_file *known = mpi_file_of(file);
    outer->entry = known ? known->entry : FD_KNOWN;
    if (outer->entry & FD_SKIP) return 0;
    enter_process();
    outer->offset = OFFSET_UNKNOWN;
    outer->mark = enter_outer(frame);
    mpi_depth = 1;
    outer->start_ns = now();
    return 1;
}
static unsigned leave_mpi(struct outer *outer)
{
    mpi_depth = 0;
    return leave_outer(outer->mark);
}
static void put_outer(unsigned op, unsigned flags, uint32_t entry, uint64_t bytes, int failed, uint64_t start_ns,
                      uint64_t end_ns, uint64_t offset)
{
    flags |= (op >= OP_MPI_WRITE ? FLAG_WRITE : 0) | entry_flags(entry) | (failed ? FLAG_ERROR : 0);
    record_at(op, flags, entry & 0xffff, bytes, MOVED_UNKNOWN, start_ns, end_ns, offset);
}
static void finish_outer(struct outer *outer, unsigned op, int64_t count, word type, int result)
{
    uint64_t end_ns = now();
    unsigned flags = leave_mpi(outer);
    uint64_t bytes = count > 0 ? (uint64_t)count * type_bytes(type) : 0;
    put_outer(op, flags, outer->entry, bytes, result != 0, outer->start_ns, end_ns, outer->offset);
}

/* Accesses that were started and not yet waited for. */
#define REQUESTS_MAX 8192
struct mpi_request {
    word handle;
    uint64_t start_ns, bytes, offset;
    uint32_t entry;
    uint8_t op, flags;
};
static struct mpi_request mpi_requests[REQUESTS_MAX];
static int pending;

static void count_pending(int change)
{
    int left = __atomic_add_fetch(&pending, change, __ATOMIC_ACQ_REL);
    struct header *header = process->header;
    if (header) __atomic_store_n(&header->unfinished, (uint64_t)(left > 0 ? left : 0), __ATOMIC_RELAXED);
}
static void start_request(struct outer *outer, unsigned op, int64_t count, word type, int result, word handle)
{
    if (result != 0 || handle == 0) {
        finish_outer(outer, op, count, type, result);
        return;
    }
    unsigned flags = leave_mpi(outer);
    uint64_t bytes = count > 0 ? (uint64_t)count * type_bytes(type) : 0;
    for (int i = 0; i < REQUESTS_MAX; i++) {
        struct mpi_request *one = &mpi_requests[((uint64_t)handle / 8 + (unsigned)i) % REQUESTS_MAX];
        word nobody = 0;
        /* Claimed with 1 so that nobody takes it before it is filled. */
        if (!__atomic_compare_exchange_n(&one->handle, &nobody, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) continue;
        one->start_ns = outer->start_ns;
        one->bytes = bytes;
        one->offset = outer->offset;
        one->entry = outer->entry;
        one->op = (uint8_t)op;
        one->flags = (uint8_t)flags;
        __atomic_store_n(&one->handle, handle, __ATOMIC_RELEASE);
        count_pending(1);
        return;
    }
    struct header *header = trace_header();
    if (header) __atomic_fetch_add(&header->dropped, 1, __ATOMIC_RELAXED);
}
static int is_pending(word handle)
{
    for (int i = 0; handle && i < REQUESTS_MAX; i++)
        if (__atomic_load_n(&mpi_requests[((uint64_t)handle / 8 + (unsigned)i) % REQUESTS_MAX].handle, __ATOMIC_ACQUIRE) ==
            handle)
            return 1;
    return 0;
}
static void finish_request(word handle, unsigned flags, int failed, uint64_t end_ns)
{
    for (int i = 0; handle && handle != 1 && i < REQUESTS_MAX; i++) {
        struct mpi_request *one = &mpi_requests[((uint64_t)handle / 8 + (unsigned)i) % REQUESTS_MAX];
        if (__atomic_load_n(&one->handle, __ATOMIC_ACQUIRE) != handle) continue;
        struct mpi_request done = *one;
        if (!__atomic_compare_exchange_n(&one->handle, &handle, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
        count_pending(-1);
        put_outer(done.op, done.flags | flags, done.entry, done.bytes, failed, done.start_ns, end_ns, done.offset);
        return;
    }
}
static inline int has_pending(void)
{
    return __atomic_load_n(&pending, __ATOMIC_ACQUIRE) > 0;
}

/* MPI_File_read and its variants, each with an int and with a large count. */
#define MPI_FORM(name, parameters, arguments, where, finishes)                                            \
    WRAP_MPI(name, parameters)                                                                            \
    {                                                                                                     \
        struct outer outer;                                                                               \
        if (!begin_outer(&outer, file, __builtin_frame_address(0))) return REAL_MPI(name) arguments;      \
        outer.offset = where;                                                                             \
        int result = REAL_MPI(name) arguments;                                                            \
        finishes;                                                                                         \
        return result;                                                                                    \
    }
#define MPI_PLAIN_FORM(name, op, count_type)                                                              \
    MPI_FORM(name, (word file, void *buffer, count_type count, word type, void *status),                  \
             (file, buffer, count, type, status), mpi_pointer(file, op), finish_outer(&outer, op, count, type, result))
#define MPI_AT_FORM(name, op, count_type)                                                                 \
    MPI_FORM(name, (word file, int64_t at, void *buffer, count_type count, word type, void *status),      \
             (file, at, buffer, count, type, status), mpi_offset(file, at), finish_outer(&outer, op, count, type, result))
#define MPI_START_FORM(name, op, count_type)                                                              \
    MPI_FORM(name, (word file, void *buffer, count_type count, word type, void *request),                 \
             (file, buffer, count, type, request), mpi_pointer(file, op),                                 \
             start_request(&outer, op, count, type, result, request_at(request, 0)))
#define MPI_START_AT_FORM(name, op, count_type)                                                           \
    MPI_FORM(name, (word file, int64_t at, void *buffer, count_type count, word type, void *request),     \
             (file, at, buffer, count, type, request), mpi_offset(file, at),                              \
             start_request(&outer, op, count, type, result, request_at(request, 0)))

/* A split collective lasts from its begin to its end; what is moved in either is nested. */
static void split_begun(struct outer *outer, word file, int64_t count, word type)
{
    struct mpi_file *known = mpi_file_of(file);
    unsigned flags = leave_mpi(outer);
    if (!known) return;
    known->split_flags = flags;
    known->split_start = outer->start_ns;
    known->split_offset = outer->offset;
    known->split_bytes = count > 0 ? (uint64_t)count * type_bytes(type) : 0;
}
static void split_ended(struct outer *outer, word file, unsigned op, int result)
{
    struct mpi_file *known = mpi_file_of(file);
    uint64_t end_ns = now();
    unsigned flags = leave_mpi(outer);
    if (!known || !known->split_start) return;
    put_outer(op, flags | known->split_flags, outer->entry, known->split_bytes, result != 0, known->split_start, end_ns,
              known->split_offset);
    known->split_start = 0;
}
#define MPI_BEGIN_FORM(name, count_type)                                                                  \
    MPI_FORM(name, (word file, void *buffer, count_type count, word type), (file, buffer, count, type),   \
             OFFSET_UNKNOWN, split_begun(&outer, file, count, type))
#define MPI_BEGIN_AT_FORM(name, count_type)                                                               \
    MPI_FORM(name, (word file, int64_t at, void *buffer, count_type count, word type),                    \
             (file, at, buffer, count, type), mpi_offset(file, at), split_begun(&outer, file, count, type))
#define MPI_END_FORM(name, op)                                                                            \
    MPI_FORM(name, (word file, void *buffer, void *status), (file, buffer, status), OFFSET_UNKNOWN,       \
             split_ended(&outer, file, op, result))

#define MPI_BOTH_COUNTS(form, name, op) form(name, op, int) form(name##_c, op, int64_t)
#define MPI_BOTH_BEGINS(form, name) form(name, int) form(name##_c, int64_t)
#define MPI_DIRECTION(read, OP)                                                     \
    MPI_BOTH_COUNTS(MPI_PLAIN_FORM, MPI_File_##read, OP)                            \
    MPI_BOTH_COUNTS(MPI_AT_FORM, MPI_File_##read##_at, OP##_AT)                     \
    MPI_BOTH_COUNTS(MPI_PLAIN_FORM, MPI_File_##read##_all, OP##_ALL)                \
    MPI_BOTH_COUNTS(MPI_AT_FORM, MPI_File_##read##_at_all, OP##_AT_ALL)             \
    MPI_BOTH_COUNTS(MPI_PLAIN_FORM, MPI_File_##read##_shared, OP##_SHARED)          \
    MPI_BOTH_COUNTS(MPI_PLAIN_FORM, MPI_File_##read##_ordered, OP##_ORDERED)        \
    MPI_BOTH_COUNTS(MPI_START_FORM, MPI_File_i##read, OP)                           \
    MPI_BOTH_COUNTS(MPI_START_AT_FORM, MPI_File_i##read##_at, OP##_AT)              \
    MPI_BOTH_COUNTS(MPI_START_FORM, MPI_File_i##read##_all, OP##_ALL)               \
    MPI_BOTH_COUNTS(MPI_START_AT_FORM, MPI_File_i##read##_at_all, OP##_AT_ALL)      \
    MPI_BOTH_COUNTS(MPI_START_FORM, MPI_File_i##read##_shared, OP##_SHARED)         \
    MPI_BOTH_BEGINS(MPI_BEGIN_FORM, MPI_File_##read##_all_begin)                    \
    MPI_BOTH_BEGINS(MPI_BEGIN_AT_FORM, MPI_File_##read##_at_all_begin)              \
    MPI_BOTH_BEGINS(MPI_BEGIN_FORM, MPI_File_##read##_ordered_begin)                \
    MPI_END_FORM(MPI_File_##read##_all_end, OP##_ALL)                               \
    MPI_END_FORM(MPI_File_##read##_at_all_end, OP##_AT_ALL)                         \
    MPI_END_FORM(MPI_File_##read##_ordered_end, OP##_ORDERED)

MPI_DIRECTION(read, OP_MPI_READ)
MPI_DIRECTION(write, OP_MPI_WRITE)

WRAP_MPI(MPI_File_open, (word communicator, const char *name, int how, word info, word *file))
{
    int result = REAL_MPI(MPI_File_open)(communicator, name, how, info, file);
    if (result == 0 && name && file) mpi_file_opened(*file, name);
    return result;
}
WRAP_MPI(MPI_File_close, (word *file))
{
    struct mpi_file *known = file && is_on() ? mpi_file_of(*file) : NULL;
    int result = REAL_MPI(MPI_File_close)(file);
    if (known) __atomic_store_n(&known->handle, 1, __ATOMIC_RELEASE);
    return result;
}
WRAP_MPI(MPI_File_set_view, (word file, int64_t start, word unit, word type, const char *form, word info))
{
    int result = REAL_MPI(MPI_File_set_view)(file, start, unit, type, form, info);
    if (result == 0) mpi_view_changed(file, start, unit, type, form && strcmp(form, "native") == 0);
    return result;
}
WRAP_MPI(MPI_File_sync, (word file))
{
    struct outer outer;
    if (!begin_outer(&outer, file, __builtin_frame_address(0))) return REAL_MPI(MPI_File_sync)(file);
    int result = REAL_MPI(MPI_File_sync)(file);
    uint64_t end_ns = now();
    unsigned flags = leave_mpi(&outer);
    record(OP_SYNC, flags | FLAG_WRITE, outer.entry & 0xffff, 0, MOVED_UNKNOWN, outer.start_ns, end_ns);
    return result;
}

/* ---- MPI requests: where accesses that were started end --------------------------------------------------------- */

/* I/O that the library does while it waits belongs to the accesses it waits for. */
static void begin_wait(struct outer *outer, const char *frame)
{
    outer->mark = enter_outer(frame);
    mpi_depth = 1;
}

WRAP_MPI(MPI_Wait, (void *request, void *status))
{
    if (!has_pending() || !is_pending(request_at(request, 0))) return REAL_MPI(MPI_Wait)(request, status);
    struct outer outer;
    word handle = request_at(request, 0);
    begin_wait(&outer, __builtin_frame_address(0));
    int result = REAL_MPI(MPI_Wait)(request, status);
    uint64_t end_ns = now();
    unsigned flags = leave_mpi(&outer);
    finish_request(handle, flags, result != 0, end_ns);
    return result;
}
WRAP_MPI(MPI_Test, (void *request, int *flag, void *status))
{
    if (!has_pending() || !is_pending(request_at(request, 0))) return REAL_MPI(MPI_Test)(request, flag, status);
    struct outer outer;
    word handle = request_at(request, 0);
    begin_wait(&outer, __builtin_frame_address(0));
    int result = REAL_MPI(MPI_Test)(request, flag, status);
    uint64_t end_ns = now();
    unsigned flags = leave_mpi(&outer);
    if (*flag) finish_request(handle, flags, result != 0, end_ns);
    return result;
}

/* The handles before the call: MPI overwrites those that are done. */
#define REQUESTS_AT_ONCE_MAX 65536
static void copy_requests(word *into, const void *requests, int count)
{
    for (int i = 0; i < count; i++) into[i] = request_at(requests, i);
}
#define MPI_MANY(name, parameters, arguments, count, requests, completed)                                 \
    WRAP_MPI(name, parameters)                                                                            \
    {                                                                                                     \
        if (!has_pending() || count <= 0 || count > REQUESTS_AT_ONCE_MAX) return REAL_MPI(name) arguments; \
        struct outer outer;                                                                               \
        word *handles = alloca((size_t)count * sizeof(word));                                             \
        copy_requests(handles, requests, count);                                                          \
        begin_wait(&outer, __builtin_frame_address(0));                                                   \
        int result = REAL_MPI(name) arguments;                                                            \
        uint64_t end_ns = now();                                                                          \
        unsigned flags = leave_mpi(&outer);                                                               \
        completed;                                                                                        \
        return result;                                                                                    \
    }
#define FINISH(handle) finish_request(handle, flags, result != 0, end_ns)
#define FINISH_ALL() for (int i = 0; i < count; i++) FINISH(handles[i])
#define FINISH_ONE(index) if ((index) >= 0 && (index) < count) FINISH(handles[index])
#define FINISH_SOME() \
    for (int i = 0; i < *done && *done <= count; i++) FINISH_ONE(indices[i])

MPI_MANY(MPI_Waitall, (int count, void *requests, void *statuses), (count, requests, statuses), count, requests,
         FINISH_ALL())
MPI_MANY(MPI_Testall, (int count, void *requests, int *flag, void *statuses), (count, requests, flag, statuses), count,
         requests, if (*flag) FINISH_ALL())
MPI_MANY(MPI_Waitany, (int count, void *requests, int *index, void *status), (count, requests, index, status), count,
         requests, FINISH_ONE(*index))
MPI_MANY(MPI_Testany, (int count, void *requests, int *index, int *flag, void *status),
         (count, requests, index, flag, status), count, requests, if (*flag) FINISH_ONE(*index))
MPI_MANY(MPI_Waitsome, (int count, void *requests, int *done, int *indices, void *statuses),
         (count, requests, done, indices, statuses), count, requests, FINISH_SOME())
MPI_MANY(MPI_Testsome, (int count, void *requests, int *done, int *indices, void *statuses),
         (count, requests, done, indices, statuses), count, requests, FINISH_SOME())

/* ---- Fortran ------------------------------------------------------------------------------------------------------ */

/*
 * MPICH's Fortran functions call the C ones above; Open MPI's go to its own depths. Arguments are addresses, handles are
 * integers that the library turns into its own. Names with one underscore, as gfortran and most others make them.
 */
typedef int fint;
static word from_fortran(const char *converter, fint handle)
{
    word (*convert)(fint) = NULL;
    *(void **)&convert = find_mpi_only(converter);
    return convert ? convert(handle) : (word)handle;
}
static word fortran_file(const fint *file)
{
    return from_fortran("PMPI_File_f2c", *file);
}
static word fortran_type(const fint *type)
{
    return from_fortran("PMPI_Type_f2c", *type);
}
static word fortran_request(const fint *request)
{
    return from_fortran("PMPI_Request_f2c", *request);
}
SLOW static void *resolve_fortran(void **real, const char *name)
{
    void *found = find_mpi_only(name);
    return *real = found ? found : (void *)mpi_missing;
}
#define WRAP_FORTRAN(name, parameters)      \
    static void(*real_##name) parameters;   \
    EXPORT void name parameters;            \
    EXPORT void name parameters
#define REAL_FORTRAN(name) \
    ((__typeof__(real_##name))(LIKELY(real_##name != NULL) ? (void *)real_##name : resolve_fortran((void **)&real_##name, #name)))
/* Whether this layer records: not where the C functions will. */
static int begin_fortran(struct outer *outer, const fint *file, const char *frame)
{
    return is_on() && requests_are_pointers() && begin_outer(outer, fortran_file(file), frame);
}

#define FORTRAN_FORM(name, parameters, arguments, where, finishes)                                        \
    WRAP_FORTRAN(name, parameters)                                                                        \
    {                                                                                                     \
        struct outer outer;                                                                               \
        int ours = begin_fortran(&outer, file, __builtin_frame_address(0));                               \
        if (ours) outer.offset = where;                                                                   \
        REAL_FORTRAN(name) arguments;                                                                     \
        if (ours) finishes;                                                                               \
    }
#define FORTRAN_PLAIN(name, op)                                                                           \
    FORTRAN_FORM(name, (fint * file, void *buffer, fint *count, fint *type, fint *status, fint *error),   \
                 (file, buffer, count, type, status, error), mpi_pointer(fortran_file(file), op),         \
                 finish_outer(&outer, op, *count, fortran_type(type), *error))
#define FORTRAN_AT(name, op)                                                                              \
    FORTRAN_FORM(name, (fint * file, int64_t *at, void *buffer, fint *count, fint *type, fint *status, fint *error), \
                 (file, at, buffer, count, type, status, error), mpi_offset(fortran_file(file), *at),     \
                 finish_outer(&outer, op, *count, fortran_type(type), *error))
#define FORTRAN_START(name, op)                                                                           \
    FORTRAN_FORM(name, (fint * file, void *buffer, fint *count, fint *type, fint *request, fint *error),  \
                 (file, buffer, count, type, request, error), mpi_pointer(fortran_file(file), op),        \
                 start_request(&outer, op, *count, fortran_type(type), *error, fortran_request(request)))
#define FORTRAN_START_AT(name, op)                                                                        \
    FORTRAN_FORM(name, (fint * file, int64_t *at, void *buffer, fint *count, fint *type, fint *request, fint *error), \
                 (file, at, buffer, count, type, request, error), mpi_offset(fortran_file(file), *at),    \
                 start_request(&outer, op, *count, fortran_type(type), *error, fortran_request(request)))
#define FORTRAN_BEGIN(name)                                                                               \
    FORTRAN_FORM(name, (fint * file, void *buffer, fint *count, fint *type, fint *error),                 \
                 (file, buffer, count, type, error), OFFSET_UNKNOWN,                                      \
                 split_begun(&outer, fortran_file(file), *count, fortran_type(type)))
#define FORTRAN_BEGIN_AT(name)                                                                            \
    FORTRAN_FORM(name, (fint * file, int64_t *at, void *buffer, fint *count, fint *type, fint *error),    \
                 (file, at, buffer, count, type, error), mpi_offset(fortran_file(file), *at),             \
                 split_begun(&outer, fortran_file(file), *count, fortran_type(type)))
#define FORTRAN_END(name, op)                                                                             \
    FORTRAN_FORM(name, (fint * file, void *buffer, fint *status, fint *error), (file, buffer, status, error), \
                 OFFSET_UNKNOWN, split_ended(&outer, fortran_file(file), op, *error))
#define FORTRAN_DIRECTION(read, OP)                                \
    FORTRAN_PLAIN(mpi_file_##read##_, OP)                          \
    FORTRAN_AT(mpi_file_##read##_at_, OP##_AT)                     \
    FORTRAN_PLAIN(mpi_file_##read##_all_, OP##_ALL)                \
    FORTRAN_AT(mpi_file_##read##_at_all_, OP##_AT_ALL)             \
    FORTRAN_PLAIN(mpi_file_##read##_shared_, OP##_SHARED)          \
    FORTRAN_PLAIN(mpi_file_##read##_ordered_, OP##_ORDERED)        \
    FORTRAN_START(mpi_file_i##read##_, OP)                         \
    FORTRAN_START_AT(mpi_file_i##read##_at_, OP##_AT)              \
    FORTRAN_START(mpi_file_i##read##_all_, OP##_ALL)               \
    FORTRAN_START_AT(mpi_file_i##read##_at_all_, OP##_AT_ALL)      \
    FORTRAN_START(mpi_file_i##read##_shared_, OP##_SHARED)         \
    FORTRAN_BEGIN(mpi_file_##read##_all_begin_)                    \
    FORTRAN_BEGIN_AT(mpi_file_##read##_at_all_begin_)              \
    FORTRAN_BEGIN(mpi_file_##read##_ordered_begin_)                \
    FORTRAN_END(mpi_file_##read##_all_end_, OP##_ALL)              \
    FORTRAN_END(mpi_file_##read##_at_all_end_, OP##_AT_ALL)        \
    FORTRAN_END(mpi_file_##read##_ordered_end_, OP##_ORDERED)

FORTRAN_DIRECTION(read, OP_MPI_READ)
FORTRAN_DIRECTION(write, OP_MPI_WRITE)

/* Text has its length at the end of the arguments and blanks at its own. */
WRAP_FORTRAN(mpi_file_open_, (fint * communicator, char *name, fint *how, fint *info, fint *file, fint *error, size_t length))
{
    REAL_FORTRAN(mpi_file_open_)(communicator, name, how, info, file, error, length);
    if (!is_on() || !requests_are_pointers() || *error != 0 || length >= PATH_MAX) return;
    char path[PATH_MAX];
    memcpy(path, name, length);
    while (length > 0 && path[length - 1] == ' ') length--;
    path[length] = 0;
    mpi_file_opened(fortran_file(file), path);
}
WRAP_FORTRAN(mpi_file_set_view_, (fint * file, int64_t *start, fint *unit, fint *type, char *form, fint *info, fint *error, size_t length))
{
    REAL_FORTRAN(mpi_file_set_view_)(file, start, unit, type, form, info, error, length);
    if (is_on() && requests_are_pointers() && *error == 0)
        mpi_view_changed(fortran_file(file), *start, fortran_type(unit), fortran_type(type), length >= 6 && memcmp(form, "native", 6) == 0);
}
WRAP_FORTRAN(mpi_wait_, (fint * request, fint *status, fint *error))
{
    word handle = has_pending() && requests_are_pointers() ? fortran_request(request) : 0;
    REAL_FORTRAN(mpi_wait_)(request, status, error);
    if (handle) finish_request(handle, 0, *error != 0, now());
}
WRAP_FORTRAN(mpi_test_, (fint * request, fint *flag, fint *status, fint *error))
{
    word handle = has_pending() && requests_are_pointers() ? fortran_request(request) : 0;
    REAL_FORTRAN(mpi_test_)(request, flag, status, error);
    if (handle && *flag) finish_request(handle, 0, *error != 0, now());
}
WRAP_FORTRAN(mpi_waitall_, (fint * count, fint *requests, fint *statuses, fint *error))
{
    int many = has_pending() && requests_are_pointers() && *count > 0 && *count <= REQUESTS_AT_ONCE_MAX ? *count : 0;
    word *handles = alloca(((size_t)many + 1) * sizeof(word));
    for (int i = 0; i < many; i++) handles[i] = fortran_request(&requests[i]);
    REAL_FORTRAN(mpi_waitall_)(count, requests, statuses, error);
    uint64_t end_ns = now();
    for (int i = 0; i < many; i++) finish_request(handles[i], 0, *error != 0, end_ns);
}
