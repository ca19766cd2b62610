/*
 * io_uring: a request lasts from the call that submits it until a later call of the program finds its result in the ring. The
 * functions of liburing that a program calls are wrapped, since its own system calls are inlined; programs that use a ring by
 * syscall() are followed by what they map. The rings are read, never written, and only within calls that read them too. What
 * was submitted in other ways is counted when the ring ends. Part of recorder.c.
 */

/* As the kernel has them; headers may be older than the kernel. */
struct ring_sqe {
    uint8_t opcode, flags;
    uint16_t priority;
    int32_t fd;
    uint64_t offset, address;
    uint32_t length, how;
    uint64_t user_data;
    uint16_t buffer, personality;
    int32_t other_fd;
    uint64_t address3, unused;
};
struct ring_cqe {
    uint64_t user_data;
    int32_t result;
    uint32_t flags;
};
_Static_assert(sizeof(struct ring_sqe) == 64 && sizeof(struct ring_cqe) == 16, "entries of rings");
struct ring_parameters {
    uint32_t sq_entries, cq_entries, flags, cpu, idle, features, queue, unused[3];
    struct {
        uint32_t head, tail, mask, entries, flags, dropped, array, unused[3];
    } sq;
    struct {
        uint32_t head, tail, mask, entries, overflow, cqes, flags, unused[3];
    } cq;
};
/* As liburing has had them since its version 0.7; what comes behind is not looked at. */
struct io_uring {
    struct {
        unsigned *head, *tail, *mask, *entries, *flags, *dropped, *array;
        struct ring_sqe *sqes;
        unsigned sqe_head, sqe_tail;
        size_t size;
        void *memory;
        unsigned unused[4];
    } sq;
    struct {
        unsigned *head, *tail, *mask, *entries, *flags, *overflow;
        struct ring_cqe *cqes;
        size_t size;
        void *memory;
        unsigned unused[4];
    } cq;
    unsigned flags;
    int fd;
    unsigned features;
};
enum {
    RING_SQPOLL = 1u << 1, RING_SQE128 = 1u << 10, RING_CQE32 = 1u << 11, RING_NO_SQARRAY = 1u << 16,
    RING_FEATURE_EXT_ARG = 1u << 8,
    SQE_FIXED_FILE = 1, SQE_BUFFER_SELECT = 1u << 5, CQE_MORE = 1u << 1, SPLICE_FROM_FIXED = 1u << 31
};
#define RING_MAP_SQ 0ul
#define RING_MAP_CQ 0x8000000ul
#define RING_MAP_SQES 0x10000000ul

/* A request under way. The state is 0 when free, odd while it changes, else a number that no other use of the place has. */
struct ring_request {
    uint32_t state, entry;
    uint64_t user_data, start_ns, bytes, offset;
    int32_t fd;
    uint32_t entry_from;
    uint8_t op, flags, opcode;
};
#define RING_FILES_MAX 65536
struct ring {
    const struct ring_sqe *sqes;
    const struct ring_cqe *cqes;
    unsigned *sq_tail, *cq_tail, *array;
    unsigned flags, sq_mask, cq_mask, sq_seen, cq_seen, unparsed;
    int fd;
    struct ring_request *requests;
    uint32_t request_count, farthest, next_state;
    uint32_t *files;
    /* Of a ring that is not liburing's: what the kernel says of it, and where its parts are. */
    struct ring_parameters parameters;
    char *map_sq, *map_cq;
};

static struct ring *ring_free_place(void)
{
    for (unsigned i = 0; i < RINGS_MAX; i++) {
        struct ring *none = NULL;
        struct ring *claimed = (struct ring *)&process->rings;
        if (process->rings[i] || !__atomic_compare_exchange_n(&process->rings[i], &none, claimed, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        struct ring *ring = raw_map(sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        __atomic_store_n(&process->rings[i], ring, __ATOMIC_RELEASE);
        if (i >= process->ring_highest) __atomic_store_n(&process->ring_highest, i + 1, __ATOMIC_RELEASE);
        return ring;
    }
    return NULL;
}
static struct ring *ring_at(unsigned i)
{
    struct ring *ring = __atomic_load_n(&process->rings[i], __ATOMIC_ACQUIRE);
    return ring == (struct ring *)&process->rings ? NULL : ring;
}
static struct ring *ring_of(const void *sqes, int fd)
{
    unsigned count = __atomic_load_n(&process->ring_highest, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < count; i++) {
        struct ring *ring = ring_at(i);
        if (ring && (sqes ? ring->sqes == sqes : ring->fd == fd)) return ring;
    }
    return NULL;
}

/* Space for as many requests as can be under way, twice; a hundred completions may wait outside the ring. */
static int ring_make_table(struct ring *ring)
{
    uint32_t count = 256;
    while (count < 4 * ((uint64_t)ring->cq_mask + 1) && count < 1u << 17) count *= 2;
    void *space = raw_map(count * sizeof(struct ring_request), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!space) return 0;
    ring->requests = space;
    ring->request_count = count;
    return 1;
}
static void ring_drop(struct ring *ring)
{
    for (unsigned i = 0; i < RINGS_MAX; i++)
        if (process->rings[i] == ring) __atomic_store_n(&process->rings[i], NULL, __ATOMIC_RELEASE);
    if (ring->requests) RAW(SYS_munmap, ring->requests, ring->request_count * sizeof(struct ring_request), 0, 0, 0, 0);
    if (ring->files) RAW(SYS_munmap, ring->files, RING_FILES_MAX * sizeof(uint32_t), 0, 0, 0, 0);
    RAW(SYS_munmap, ring, sizeof *ring, 0, 0, 0, 0);
}

/* ---- what is submitted ------------------------------------------------------------------------------------------------ */

/* Memory that a request points to; the kernel may find that it is not there, and so may we. */
static int copy_from_program(void *into, uint64_t from, size_t size)
{
    struct iovec here = {into, size}, there = {(void *)(uintptr_t)from, size};
    if (setup.sandboxed || !from) return 0;
    return RAW(SYS_process_vm_readv, process->pid, &here, 1, &there, 1, 0) == (long)size;
}
static int copy_path(char *into, uint64_t from)
{
    for (size_t at = 0; at < PATH_MAX;) {
        size_t part = 4096 - ((from + at) & 4095);
        if (part > PATH_MAX - at) part = PATH_MAX - at;
        if (!copy_from_program(into + at, from + at, part)) return 0;
        if (memchr(into + at, 0, part)) return 1;
        at += part;
    }
    return 0;
}
static uint64_t ring_vector_bytes(uint64_t vector, uint32_t count)
{
    struct iovec parts[64];
    uint64_t sum = 0;
    if (count > IOV_MAX) return BYTES_UNKNOWN;
    for (uint32_t done = 0; done < count;) {
        uint32_t now_count = count - done < 64 ? count - done : 64;
        if (!copy_from_program(parts, vector + done * sizeof *parts, now_count * sizeof *parts)) return BYTES_UNKNOWN;
        for (uint32_t i = 0; i < now_count; i++) sum += parts[i].iov_len;
        done += now_count;
    }
    return sum;
}
static uint32_t ring_entry(const struct ring *ring, int fd, int is_fixed)
{
    if (!is_fixed) return fd >= 0 ? entry_of(fd) : FD_KNOWN | FD_SKIP;
    uint32_t entry = ring->files && (unsigned)fd < RING_FILES_MAX ? ring->files[fd] : 0;
    return entry & FD_KNOWN ? entry : FD_KNOWN | FILE_UNKNOWN;
}
static uint32_t ring_path_entry(int from, uint64_t address)
{
    char path[PATH_MAX];
    if (!address) return described(from);
    if (!copy_path(path, address)) return FD_KNOWN | FILE_UNKNOWN;
    return path[0] ? path_entry(from, path, -1, 0) : described(from);
}

/* What a request is, with its file; 0 for what is no I/O on files. */
static unsigned ring_classify(const struct ring *ring, const struct ring_sqe *sqe, struct ring_request *one)
{
    int is_fixed = sqe->flags & SQE_FIXED_FILE;
    one->bytes = 0;
    one->offset = OFFSET_UNKNOWN;
    one->entry_from = 0;
    switch (sqe->opcode) {
    case 1: case 2: case 58: case 59: /* READV, WRITEV, and with fixed buffers */
    case 4: case 5: case 22: case 23: { /* READ_FIXED, WRITE_FIXED, READ, WRITE */
        int is_vector = sqe->opcode <= 2 || sqe->opcode >= 58;
        int is_write = sqe->opcode == 2 || sqe->opcode == 5 || sqe->opcode == 23 || sqe->opcode == 59;
        one->entry = ring_entry(ring, sqe->fd, is_fixed);
        if (one->entry & FD_SKIP) return is_write ? OP_URING_WRITE : OP_URING_READ;
        one->bytes = is_vector                             ? ring_vector_bytes(sqe->address, sqe->length)
                     : (sqe->flags & SQE_BUFFER_SELECT) && sqe->length == 0 ? BYTES_UNKNOWN
                                                                            : sqe->length;
        if ((int64_t)sqe->offset >= 0) one->offset = is_write ? offset_to_write(one->entry, (int64_t)sqe->offset, (int)sqe->how) : sqe->offset;
        else if (!is_fixed) share_position(sqe->fd);
        return is_write ? OP_URING_WRITE : OP_URING_READ;
    }
    case 3: case 8: /* FSYNC, SYNC_FILE_RANGE */
        one->entry = ring_entry(ring, sqe->fd, is_fixed);
        return OP_SYNC;
    case 30: /* SPLICE */
        one->entry = ring_entry(ring, sqe->fd, is_fixed);
        one->entry_from = ring_entry(ring, sqe->other_fd, sqe->how & SPLICE_FROM_FIXED ? 1 : 0);
        one->bytes = sqe->length;
        if (!is_fixed && (int64_t)sqe->offset < 0) share_position(sqe->fd);
        if (!(sqe->how & SPLICE_FROM_FIXED) && (int64_t)sqe->address < 0) share_position(sqe->other_fd);
        return OP_SPLICE_WRITE;
    }
    if (!setup.metadata) return 0;
    switch (sqe->opcode) {
    case 18: case 28: /* OPENAT, OPENAT2 */
        one->entry = ring_path_entry(sqe->fd, sqe->address);
        return OP_OPEN;
    case 19: /* CLOSE; of a registered file its number is elsewhere */
        one->entry = sqe->other_fd ? ring_entry(ring, sqe->other_fd - 1, 1) : noted(sqe->fd);
        return OP_CLOSE;
    case 21: one->entry = ring_path_entry(sqe->fd, sqe->address); return OP_STAT;
    case 35: one->entry = ring_path_entry(sqe->fd, sqe->address); return OP_RENAME;
    case 36: one->entry = ring_path_entry(sqe->fd, sqe->address); return sqe->how & AT_REMOVEDIR ? OP_RMDIR : OP_UNLINK;
    case 37: one->entry = ring_path_entry(sqe->fd, sqe->address); return OP_MKDIR;
    case 38: one->entry = ring_path_entry(sqe->fd, sqe->offset); return OP_SYMLINK;
    case 39: one->entry = ring_path_entry(sqe->fd, sqe->address); return OP_LINK;
    case 42: case 44: one->entry = ring_path_entry(AT_FDCWD, sqe->address3); return OP_ATTRIBUTES;
    }
    unsigned op = sqe->opcode == 17 ? OP_ALLOCATE : sqe->opcode == 24 ? OP_ADVISE : sqe->opcode == 55 ? OP_TRUNCATE
                  : sqe->opcode == 41 || sqe->opcode == 43 ? OP_ATTRIBUTES : 0;
    if (op) one->entry = ring_entry(ring, sqe->fd, is_fixed);
    if (op == OP_ALLOCATE) one->bytes = sqe->address;
    else if (op == OP_TRUNCATE) one->bytes = sqe->offset;
    return op;
}

static struct ring_request *ring_claim(struct ring *ring, uint64_t user_data)
{
    uint32_t mask = ring->request_count - 1, at = (uint32_t)mix(user_data);
    for (uint32_t i = 0; i <= mask; i++) {
        struct ring_request *slot = &ring->requests[(at + i) & mask];
        uint32_t free_state = 0;
        if (slot->state || !__atomic_compare_exchange_n(&slot->state, &free_state, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
        /* Searches go as far as the farthest that there ever was. */
        uint32_t farthest = __atomic_load_n(&ring->farthest, __ATOMIC_RELAXED);
        while (i >= farthest && !__atomic_compare_exchange_n(&ring->farthest, &farthest, i + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {}
        return slot;
    }
    return NULL;
}
static void ring_enter_one(struct ring *ring, const struct ring_sqe *sqe, uint64_t start_ns)
{
    struct ring_request one;
    unsigned op = ring_classify(ring, sqe, &one);
    if (op == OP_CLOSE && !sqe->other_fd) forget(sqe->fd);
    if (!op || !(one.entry & FD_KNOWN)) return;
    if ((one.entry & (FD_SKIP | FD_LOST)) && !(one.entry_from & FD_KNOWN && !(one.entry_from & FD_SKIP))) {
        if (op == OP_URING_READ || op == OP_URING_WRITE) not_recorded(one.entry);
        if (op != OP_OPEN) return;
    }
    struct ring_request *slot = ring_claim(ring, sqe->user_data);
    if (!slot) {
        struct header *header = trace_header();
        if (header) __atomic_fetch_add(&header->dropped, 1, __ATOMIC_RELAXED);
        return;
    }
    slot->entry = one.entry;
    slot->entry_from = one.entry_from;
    slot->bytes = one.bytes;
    slot->offset = one.offset;
    slot->user_data = sqe->user_data;
    slot->start_ns = start_ns;
    slot->fd = op == OP_OPEN ? sqe->other_fd : sqe->fd;
    slot->op = (uint8_t)op;
    slot->opcode = sqe->opcode;
    slot->flags = is_inside() ? FLAG_NESTED : 0;
    if (slot->flags) thread.inner++;
    uint32_t state = 2 * __atomic_add_fetch(&ring->next_state, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->state, state ? state : 2, __ATOMIC_RELEASE);
}

/* ---- what is done ------------------------------------------------------------------------------------------------------- */

static int ring_take(struct ring *ring, const struct ring_cqe *cqe, struct ring_request *taken)
{
    uint32_t mask = ring->request_count - 1, at = (uint32_t)mix(cqe->user_data);
    uint32_t farthest = __atomic_load_n(&ring->farthest, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < farthest; i++) {
        struct ring_request *slot = &ring->requests[(at + i) & mask];
        uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
        if (!state || (state & 1) || slot->user_data != cqe->user_data) continue;
        *taken = *slot;
        if (cqe->flags & CQE_MORE) return 1;
        if (__atomic_compare_exchange_n(&slot->state, &state, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return 1;
    }
    return 0;
}
static void ring_opened(struct ring *ring, struct ring_request *one, int result)
{
    /* Into the table of registered files: at the given place and 1, or where there was one. */
    unsigned place = one->fd == -1 ? (unsigned)result : (unsigned)one->fd - 1;
    if (one->fd != 0) {
        if (ring->files && place < RING_FILES_MAX) ring->files[place] = one->entry;
        return;
    }
    forget(result);
    uint32_t entry = setup.sandboxed ? 0 : resolve_opened(result);
    if (entry) one->entry = entry;
    note_descriptor(result, one->entry);
}
static void ring_record(struct ring *ring, struct ring_request *one, int32_t result, uint64_t end_ns)
{
    int failed = result < 0;
    if (one->op == OP_OPEN && !failed) ring_opened(ring, one, result);
    if (one->op == OP_URING_READ || one->op == OP_URING_WRITE || one->op == OP_SPLICE_WRITE) {
        int64_t moved = failed ? -1 : result;
        uint64_t asked = one->bytes == BYTES_UNKNOWN ? (failed ? 0 : (uint64_t)result) : one->bytes;
        unsigned flags = one->flags | (failed ? FLAG_ERROR : 0);
        if (one->entry & FD_DEVICE_MASK) end_ns = wait_for_device((one->entry >> FD_DEVICE_SHIFT) - 1, one->start_ns, moved);
        if (one->op == OP_SPLICE_WRITE && !failed) asked = (uint64_t)result;
        if ((one->entry_from & FD_KNOWN) && !(one->entry_from & FD_SKIP))
            record(OP_SPLICE_READ, flags | entry_flags(one->entry_from), one->entry_from & 0xffff, asked, moved, one->start_ns, end_ns);
        if (one->entry & FD_SKIP) return;
        if (one->op != OP_URING_READ) flags |= FLAG_WRITE;
        record_at(one->op, flags | entry_flags(one->entry), one->entry & 0xffff, asked, moved, one->start_ns, end_ns, one->offset);
    } else if (one->op == OP_SYNC) {
        unsigned flags = FLAG_WRITE | one->flags | entry_flags(one->entry) | (failed ? FLAG_ERROR : 0);
        record(OP_SYNC, flags, one->entry & 0xffff, 0, MOVED_UNKNOWN, one->start_ns, end_ns);
    } else {
        record_metadata(one->op, one->entry, failed, failed ? (uint64_t)-result : one->bytes, one->start_ns, end_ns);
    }
}
/* Takes results that came since the last look. Several threads may look; each result is taken once. */
static void ring_look(struct ring *ring)
{
    unsigned shift = ring->flags & RING_CQE32 ? 1 : 0, entries = ring->cq_mask + 1;
    unsigned seen = __atomic_load_n(&ring->cq_seen, __ATOMIC_ACQUIRE);
    unsigned tail = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE);
    if (seen == tail) return;
    int saved = errno;
    uint64_t end_ns = now();
    while ((int)(tail - seen) > 0) {
        /* Those that the kernel has overwritten meanwhile. */
        if (tail - seen > entries) {
            __atomic_compare_exchange_n(&ring->cq_seen, &seen, tail - entries, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
            seen = __atomic_load_n(&ring->cq_seen, __ATOMIC_ACQUIRE);
            continue;
        }
        struct ring_cqe cqe = ring->cqes[(size_t)(seen & ring->cq_mask) << shift];
        struct ring_request one;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        tail = __atomic_load_n(ring->cq_tail, __ATOMIC_ACQUIRE);
        if (tail - seen > entries) continue;
        if (!__atomic_compare_exchange_n(&ring->cq_seen, &seen, seen + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) continue;
        seen++;
        if (ring_take(ring, &cqe, &one)) ring_record(ring, &one, cqe.result, end_ns);
    }
    errno = saved;
}

/* ---- the end of a ring ---------------------------------------------------------------------------------------------------- */

/* How many requests the kernel has been given in all, or -1. */
static long ring_submitted(int fd)
{
    char path[48], text[1024];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    if (setup.sandboxed || slurp(path, text, sizeof text) <= 0) return -1;
    const char *tail = strstr(text, "SqTail:");
    return tail ? strtol(tail + 7, NULL, 0) : -1;
}
/* Tells of requests that were never seen, and of those without a result. */
static void ring_told(struct ring *ring)
{
    char count[32];
    long submitted = ring->fd >= 0 ? ring_submitted(ring->fd) : -1;
    uint32_t unseen = submitted < 0 ? 0 : (uint32_t)submitted - (ring->sq_seen - ring->unparsed);
    for (uint32_t i = 0; i < ring->request_count; i++)
        if (ring->requests[i].state && ring->requests[i].op < OP_SYNC) unseen++;
    if (unseen == 0 || unseen > INT32_MAX) return;
    /* Lines that are alike are told once: with the process they differ. */
    snprintf(count, sizeof count, "%u %d", unseen, process->pid);
    tell_unseen("io_uring", count);
}
static void ring_ends(struct ring *ring)
{
    int saved = errno;
    ring_told(ring);
    ring_drop(ring);
    errno = saved;
}
/* At the end of the program its rings may have gone in ways that are not seen. */
static int ring_is_mapped(const struct ring *ring)
{
    char path[64];
    unsigned char resident[1];
    if (!ring->cq_tail || ring->fd < 0 || read_fd_link(ring->fd, path, sizeof path) <= 0) return 0;
    const uintptr_t pages[] = {(uintptr_t)ring->cq_tail, (uintptr_t)ring->cqes, (uintptr_t)(ring->cqes + ring->cq_mask)};
    for (unsigned i = 0; i < 3; i++)
        if (RAW(SYS_mincore, pages[i] & ~(uintptr_t)4095, 4096, resident, 0, 0, 0) != 0) return 0;
    return strcmp(path, "anon_inode:[io_uring]") == 0;
}
static void look_at_open_rings(void)
{
    if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) != MODE_ON || setup.sandboxed || is_vfork_child()) return;
    for (unsigned i = 0; i < process->ring_highest; i++) {
        struct ring *ring = ring_at(i);
        if (!ring) continue;
        if (ring_is_mapped(ring) && ring->requests) ring_look(ring);
        ring_told(ring);
        ring->fd = -1;
        ring->request_count = 0;
    }
    uint32_t strange = process->strange_ring_count;
    for (uint32_t i = 0; i < strange && i < STRANGE_RINGS_MAX; i++)
        if (process->strange_rings[i] > 0) tell_way(WAY_URING, "io_uring");
}
/* Calls that are seen have named the ring. */
static void ring_is_known(int fd)
{
    uint32_t strange = process->strange_ring_count;
    for (uint32_t i = 0; i < strange && i < STRANGE_RINGS_MAX; i++)
        if (process->strange_rings[i] == fd) process->strange_rings[i] = 0;
}

/* ---- liburing --------------------------------------------------------------------------------------------------------------- */

SLOW static struct ring *ring_begin(const struct io_uring *given)
{
    struct ring *ring = ring_free_place();
    if (!ring) {
        tell_way(WAY_URING, "io_uring");
        return NULL;
    }
    ring->sq_tail = given->sq.tail;
    ring->cq_tail = given->cq.tail;
    ring->cqes = given->cq.cqes;
    ring->flags = given->flags;
    ring->sq_mask = *given->sq.mask;
    ring->cq_mask = *given->cq.mask;
    ring->array = given->sq.array;
    ring->sq_seen = given->sq.sqe_head;
    ring->cq_seen = *given->cq.head;
    /* Of what came before nothing is known. */
    ring->unparsed = ring->sq_seen;
    ring->fd = given->fd;
    ring_is_known(given->fd);
    if (!ring_make_table(ring)) {
        ring_drop(ring);
        return NULL;
    }
    __atomic_store_n(&ring->sqes, given->sq.sqes, __ATOMIC_RELEASE);
    return ring;
}
static struct ring *ring_given(const struct io_uring *given)
{
    MAY_BE_NULL(given);
    if (!is_on() || !given || !given->sq.sqes || !given->cq.cqes || !given->cq.tail || !given->sq.mask || !given->cq.mask) return NULL;
    struct ring *ring = ring_of(given->sq.sqes, -1);
    int saved = errno;
    enter_process();
    if (!ring) ring = ring_begin(given);
    errno = saved;
    return ring;
}
static void ring_submits(struct ring *ring, const struct io_uring *given)
{
    unsigned shift = ring->flags & RING_SQE128 ? 1 : 0, from = given->sq.sqe_head, to = given->sq.sqe_tail;
    if ((int)(ring->sq_seen - from) > 0) from = ring->sq_seen;
    if (to - from > ring->sq_mask + 1) return;
    int saved = errno;
    uint64_t start_ns = from != to ? now() : 0;
    for (unsigned i = from; i != to; i++) ring_enter_one(ring, given->sq.sqes + ((size_t)(i & ring->sq_mask) << shift), start_ns);
    ring->sq_seen = to;
    errno = saved;
}

SLOW static void *resolve_in(void **real, const char *name, const char *library);
/* Libraries that a plug-in has brought along privately are found too; without any it is as if the kernel had not got it. */
#define REAL_URING(name)                                                                              \
    ((__typeof__(real_##name))(LIKELY(real_##name != NULL) ? (void *)real_##name                      \
                                                           : resolve_in((void **)&real_##name, #name, "uring")))
#define CALL_URING(name, arguments) (REAL_URING(name) ? (int)REAL_URING(name) arguments : -ENOSYS)
#define WRAP_RING(submits, type, name, parameters, arguments)      \
    WRAP(type, name, parameters)                                   \
    {                                                              \
        struct ring *known = ring_given(ring);                     \
        if (known) ring_look(known);                               \
        if (known && (submits)) ring_submits(known, ring);         \
        type result = (type)CALL_URING(name, arguments);           \
        if (known) ring_look(known);                               \
        return result;                                             \
    }
/* Before the kernel could wait with a time, the library submitted a request for that, and all others with it. */
#define SUBMITS_TO_WAIT (timeout && !(ring->features & RING_FEATURE_EXT_ARG))
WRAP_RING(1, int, io_uring_submit, (struct io_uring *ring), (ring))
WRAP_RING(1, int, io_uring_submit_and_wait, (struct io_uring *ring, unsigned count), (ring, count))
WRAP_RING(1, int, io_uring_submit_and_get_events, (struct io_uring *ring), (ring))
WRAP_RING(1, int, io_uring_submit_and_wait_timeout,
          (struct io_uring *ring, void *results, unsigned count, void *timeout, void *mask), (ring, results, count, timeout, mask))
WRAP_RING(1, int, io_uring_submit_and_wait_min_timeout,
          (struct io_uring *ring, void *results, unsigned count, void *timeout, unsigned least, void *mask),
          (ring, results, count, timeout, least, mask))
WRAP_RING(1, int, io_uring_submit_and_wait_reg, (struct io_uring *ring, void *results, unsigned count, int index),
          (ring, results, count, index))
WRAP_RING(0, int, io_uring_get_events, (struct io_uring *ring), (ring))
WRAP_RING(0, unsigned, io_uring_peek_batch_cqe, (struct io_uring *ring, void *results, unsigned count), (ring, results, count))
WRAP_RING(SUBMITS_TO_WAIT, int, io_uring_wait_cqes, (struct io_uring *ring, void *results, unsigned count, void *timeout, void *mask),
          (ring, results, count, timeout, mask))
WRAP_RING(0, int, io_uring_wait_cqes_min_timeout,
          (struct io_uring *ring, void *results, unsigned count, void *timeout, unsigned least, void *mask),
          (ring, results, count, timeout, least, mask))
WRAP_RING(SUBMITS_TO_WAIT, int, io_uring_wait_cqe_timeout, (struct io_uring *ring, void *results, void *timeout),
          (ring, results, timeout))
/* What the inlined io_uring_wait_cqe and io_uring_peek_cqe call. */
WRAP_RING(submit > 0, int, __io_uring_get_cqe, (struct io_uring *ring, void *result_at, unsigned submit, unsigned count, void *mask),
          (ring, result_at, submit, count, mask))
WRAP(void, io_uring_queue_exit, (struct io_uring *ring))
{
    struct ring *known = is_on() ? ring_of(ring->sq.sqes, -1) : NULL;
    if (known) {
        ring_look(known);
        ring_ends(known);
    }
    if (REAL_URING(io_uring_queue_exit)) REAL_URING(io_uring_queue_exit)(ring);
}

/* ---- registered files ------------------------------------------------------------------------------------------------------ */

static void ring_register_files(struct ring *ring, unsigned from, const int *files, unsigned count)
{
    if (!ring || from > RING_FILES_MAX || count > RING_FILES_MAX - from) return;
    int saved = errno;
    if (!ring->files)
        ring->files = raw_map(RING_FILES_MAX * sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (unsigned i = 0; ring->files && i < count; i++)
        /* -2 leaves a place as it is. */
        if (!files || files[i] != -2) ring->files[from + i] = files && files[i] >= 0 ? entry_of(files[i]) : 0;
    errno = saved;
}
#define WRAP_FILES(name, parameters, arguments, from, files, count)                             \
    WRAP(int, name, parameters)                                                                 \
    {                                                                                           \
        int result = CALL_URING(name, arguments);                                               \
        if (result >= 0) ring_register_files(ring_given(ring), from, files, count);             \
        return result;                                                                          \
    }
WRAP_FILES(io_uring_register_files, (struct io_uring *ring, const int *files, unsigned count), (ring, files, count), 0, files, count)
WRAP_FILES(io_uring_register_files_tags, (struct io_uring *ring, const int *files, const void *tags, unsigned count),
           (ring, files, tags, count), 0, files, count)
WRAP_FILES(io_uring_register_files_sparse, (struct io_uring *ring, unsigned count), (ring, count), 0, NULL, count)
WRAP_FILES(io_uring_register_files_update, (struct io_uring *ring, unsigned from, const int *files, unsigned count),
           (ring, from, files, count), from, files, count)
WRAP_FILES(io_uring_register_files_update_tag, (struct io_uring *ring, unsigned from, const int *files, const void *tags, unsigned count),
           (ring, from, files, tags, count), from, files, count)

/* ---- rings without liburing -------------------------------------------------------------------------------------------------- */

static void ring_set_up(int fd, const struct ring_parameters *parameters)
{
    if (fd < 0 || !is_on()) return;
    int saved = errno;
    enter_process();
    struct ring *ring = ring_of(NULL, fd);
    if (ring) ring_drop(ring);
    ring = ring_free_place();
    if (ring) {
        ring->parameters = *parameters;
        ring->flags = parameters->flags;
        ring->fd = fd;
        ring_is_known(fd);
    }
    errno = saved;
}
/* A part of a ring is mapped; 0 when it is a ring whose setup was not seen. */
static int ring_mapped(int fd, uint64_t offset, char *at)
{
    struct ring *ring = ring_of(NULL, fd);
    if (!ring || !ring->parameters.cq_entries) return ring != NULL;
    if (offset == RING_MAP_SQ) ring->map_sq = at;
    if (offset == RING_MAP_CQ || (offset == RING_MAP_SQ && (ring->parameters.features & 1))) ring->map_cq = at;
    if (offset == RING_MAP_SQES) ring->sqes = (const struct ring_sqe *)at;
    if (!ring->map_sq || !ring->map_cq || !ring->sqes || ring->requests) return 1;
    const struct ring_parameters *p = &ring->parameters;
    ring->sq_tail = (unsigned *)(ring->map_sq + p->sq.tail);
    ring->cq_tail = (unsigned *)(ring->map_cq + p->cq.tail);
    ring->cqes = (const struct ring_cqe *)(ring->map_cq + p->cq.cqes);
    ring->array = p->flags & RING_NO_SQARRAY ? NULL : (unsigned *)(ring->map_sq + p->sq.array);
    ring->sq_mask = p->sq_entries - 1;
    ring->cq_mask = p->cq_entries - 1;
    ring_make_table(ring);
    return 1;
}
/* A ring that is used in ways that leave no trace but its counters. */
static void ring_unknown(int fd)
{
    struct ring *ring = ring_of(NULL, fd) ? NULL : ring_free_place();
    tell_way(WAY_URING, "io_uring");
    ring_is_known(fd);
    if (!ring) return;
    ring->fd = fd;
    ring->map_sq = (char *)ring;
}
/* Before the kernel is told to look: with a thread of its own that does so, requests may be replaced already. */
static struct ring *ring_entered(int fd)
{
    struct ring *ring = is_on() ? ring_of(NULL, fd) : NULL;
    if (!ring || !ring->requests) return NULL;
    ring_look(ring);
    unsigned shift = ring->flags & RING_SQE128 ? 1 : 0, to = __atomic_load_n(ring->sq_tail, __ATOMIC_ACQUIRE);
    if ((ring->flags & RING_SQPOLL) || to - ring->sq_seen > ring->sq_mask + 1) return ring;
    int saved = errno;
    uint64_t start_ns = now();
    for (unsigned i = ring->sq_seen; i != to; i++) {
        unsigned index = ring->array ? ring->array[i & ring->sq_mask] : i & ring->sq_mask;
        if (index <= ring->sq_mask) ring_enter_one(ring, ring->sqes + ((size_t)index << shift), start_ns);
    }
    ring->sq_seen = to;
    errno = saved;
    return ring;
}
#define ENTERS(fd, call)                       \
    struct ring *known = ring_entered(fd);     \
    __auto_type result = call;                 \
    if (known) ring_look(known);               \
    return result
static void ring_registered(int fd, unsigned what, const void *given, unsigned count)
{
    struct {
        uint32_t from, unused;
        uint64_t files, tags;
        uint32_t count, unused2;
    } update;
    struct ring *ring = is_on() ? ring_of(NULL, fd) : NULL;
    if (!ring) return;
    if (what == 2) ring_register_files(ring, 0, given, count);
    /* FILES_UPDATE, FILES2 and FILES_UPDATE2 */
    if (what == 6) {
        memcpy(&update, given, 16);
        ring_register_files(ring, update.from, (const int *)(uintptr_t)update.files, count);
    } else if (what == 13) {
        memcpy(&update, given, 32);
        ring_register_files(ring, 0, (const int *)(uintptr_t)update.tags, update.from);
    } else if (what == 14) {
        memcpy(&update, given, 32);
        ring_register_files(ring, update.from, (const int *)(uintptr_t)update.files, update.count);
    }
}
static void ring_closed(int fd)
{
    struct ring *ring = process->ring_highest ? ring_of(NULL, fd) : NULL;
    /* One of liburing's ends by io_uring_queue_exit. */
    if (ring && (ring->parameters.cq_entries || ring->map_sq)) ring_ends(ring);
}
WRAP(int, io_uring_setup, (unsigned entries, struct ring_parameters *parameters))
{
    int result = CALL_URING(io_uring_setup, (entries, parameters));
    if (result >= 0) ring_set_up(result, parameters);
    return result;
}
WRAP(int, io_uring_enter, (unsigned fd, unsigned submit, unsigned least, unsigned flags, void *mask))
{
    ENTERS((int)fd, CALL_URING(io_uring_enter, (fd, submit, least, flags, mask)));
}
WRAP(int, io_uring_enter2, (unsigned fd, unsigned submit, unsigned least, unsigned flags, void *argument, size_t size))
{
    ENTERS((int)fd, CALL_URING(io_uring_enter2, (fd, submit, least, flags, argument, size)));
}
WRAP(int, io_uring_register, (unsigned fd, unsigned what, const void *given, unsigned count))
{
    int result = CALL_URING(io_uring_register, (fd, what, given, count));
    if (result >= 0) ring_registered((int)fd, what, given, count);
    return result;
}
