/*
 * Where in its file a read or write begins that names no offset. The position belongs to what open made, which duplicated
 * descriptors and, after a fork, other processes share. What this process alone has is counted along; what others may move is
 * looked at after every call and known only if it has come exactly as far as the call. Calls of several threads at once leave it
 * unknown. Part of recorder.c.
 */

#define NO_CELL UINT32_MAX
/* A use of a position: one more under way, and one more begun. */
#define ONE_USE (1u | 1ull << 32)

static inline uint32_t cell_of(int fd)
{
    uint32_t cell = process->fd_cells[fd];
    return cell ? cell : (uint32_t)fd;
}
/* Opened by this process, and no child was started since. */
static inline int is_position_own(int fd)
{
    return process->fd_epochs[fd] == __atomic_load_n(&process->epoch, __ATOMIC_RELAXED) + 1;
}
/* From now on children have all descriptors that are open; where they have moved them is asked before the next call. */
static void share_all_positions(void)
{
    if (__atomic_load_n(&mode, __ATOMIC_ACQUIRE) != MODE_ON) return;
    __atomic_fetch_add(&process->epoch, 1, __ATOMIC_ACQ_REL);
    for (unsigned fd = 0; fd <= process->fd_highest && fd < FDS_MAX; fd++) process->positions[fd] = 0;
    for (unsigned i = 0; i < process->cells && i < CELLS_MAX; i++) process->positions[FDS_MAX + i] = 0;
}
#define FOR_ALL_OF_CELL(cell, fd)                                                    \
    for (unsigned fd = 0; fd <= process->fd_highest && fd < FDS_MAX; fd++)           \
        if (cell_of((int)fd) == (cell))
/* Something that cannot be followed moves it too. */
SLOW static void share_position(int fd)
{
    if (!in_table(fd)) return;
    uint32_t cell = cell_of(fd);
    process->fd_epochs[fd] = 0;
    FOR_ALL_OF_CELL(cell, other) process->fd_epochs[other] = 0;
}
/* A file that the process has just opened. */
static inline void own_position(int fd, int is_at_start)
{
    if (!is_on() || !in_table(fd)) return;
    process->fd_epochs[fd] = __atomic_load_n(&process->epoch, __ATOMIC_RELAXED) + 1;
    process->positions[fd] = is_at_start;
    process->appends[fd] = 0;
    if ((unsigned)fd > process->fd_highest) process->fd_highest = (unsigned)fd;
}
static void duplicate_position(int from, int to)
{
    if (!in_table(from) || !in_table(to)) return;
    uint32_t cell = process->fd_cells[from];
    int is_own = is_position_own(from);
    if (!cell) {
        uint32_t number = __atomic_fetch_add(&process->cells, 1, __ATOMIC_RELAXED);
        int is_used = (uint32_t)__atomic_load_n(&process->position_uses[from], __ATOMIC_ACQUIRE) != 0;
        cell = number < CELLS_MAX && !is_used ? FDS_MAX + number : 0;
        if (cell) process->positions[cell] = process->positions[from];
    }
    if (!cell) {
        process->fd_epochs[from] = 0;
        return;
    }
    process->fd_cells[from] = process->fd_cells[to] = cell;
    process->fd_epochs[to] = is_own ? process->fd_epochs[from] : 0;
    if ((unsigned)to > process->fd_highest) process->fd_highest = (unsigned)to;
}

SLOW static void look_before_move(struct span *span, int fd)
{
    long before = setup.sandboxed ? -1 : RAW(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    if (before >= 0 && (uint32_t)span->mark == 0) process->positions[span->cell] = (uint64_t)before + 1;
    span->start_ns = now();
}
static inline void move_begins(struct span *span, int fd)
{
    span->cell = NO_CELL;
    if (UNLIKELY(!in_table(fd)) || UNLIKELY(span->entry & FD_NONFILE)) return;
    span->cell = cell_of(fd);
    span->mark = __atomic_fetch_add(&process->position_uses[span->cell], ONE_USE, __ATOMIC_ACQ_REL);
    if (UNLIKELY(!process->positions[span->cell]) && !is_position_own(fd)) look_before_move(span, fd);
}
static inline int is_alone(const struct span *span)
{
    return (uint32_t)span->mark == 0 &&
           __atomic_load_n(&process->position_uses[span->cell], __ATOMIC_ACQUIRE) == span->mark + ONE_USE;
}
/* Keeps where it is now, and 1; 0 when that is not known. Whether nobody else has begun a move meanwhile. */
static inline int end_move(const struct span *span, uint64_t position)
{
    uint64_t expected = span->mark + ONE_USE;
    process->positions[span->cell] = position;
    if (LIKELY((uint32_t)span->mark == 0 && __atomic_compare_exchange_n(&process->position_uses[span->cell], &expected, expected - 1,
                                                                       0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)))
        return 1;
    process->positions[span->cell] = 0;
    __atomic_fetch_sub(&process->position_uses[span->cell], 1, __ATOMIC_ACQ_REL);
    return 0;
}
SLOW static uint64_t look_after_move(const struct span *span, int fd, int64_t moved)
{
    long after = setup.sandboxed || !is_alone(span) ? -1 : RAW(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    uint64_t before = process->positions[span->cell];
    int is_known = is_position_own(fd) || (before && (uint64_t)after + 1 == before + (uint64_t)moved);
    if (!end_move(span, after < 0 ? 0 : (uint64_t)after + 1)) return OFFSET_UNKNOWN;
    return is_known && after >= moved ? (uint64_t)(after - moved) : OFFSET_UNKNOWN;
}
/*
 * Whether to ask where a write to the end began: of the first ones always, then of one in 16, as that costs as much as all else.
 * Who reads the trace finds the others, where those that were asked are as far apart as the bytes between them.
 */
#define APPENDS_ASKED 64
#define APPENDS_UNASKED 15
static inline int is_append_asked(uint32_t cell)
{
    uint8_t count = process->appends[cell];
    process->appends[cell] = count < APPENDS_ASKED + APPENDS_UNASKED ? count + 1 : APPENDS_ASKED;
    return count <= APPENDS_ASKED;
}
/* Where a read or write began that moves the position; what is appended begins at the end, wherever that is. */
static inline uint64_t move_ends(const struct span *span, int fd, int is_write, int64_t moved)
{
    if (UNLIKELY(span->cell == NO_CELL)) return OFFSET_UNKNOWN;
    uint64_t position = process->positions[span->cell];
    if (UNLIKELY(moved < 0)) {
        end_move(span, position);
        return OFFSET_UNKNOWN;
    }
    int is_appended = is_write && (span->entry & FD_APPEND);
    if (UNLIKELY(is_appended) && is_position_own(fd) && !is_append_asked(span->cell)) {
        end_move(span, 0);
        return OFFSET_UNKNOWN;
    }
    if (UNLIKELY(!position || is_appended || !is_position_own(fd))) return look_after_move(span, fd, moved);
    return LIKELY(end_move(span, position + (uint64_t)moved)) ? position - 1 : OFFSET_UNKNOWN;
}
/* Of lseek and the like. */
static inline void seek_begins(struct span *span, int fd)
{
    span->entry = span->cell = NO_CELL;
    if (!in_table(fd)) return;
    span->cell = cell_of(fd);
    span->mark = __atomic_fetch_add(&process->position_uses[span->cell], ONE_USE, __ATOMIC_ACQ_REL);
}
static inline void seek_ends(const struct span *span, int64_t result)
{
    if (span->cell != NO_CELL) end_move(span, result >= 0 ? (uint64_t)result + 1 : process->positions[span->cell]);
}

/* Of writes with an offset, which counts for nothing where the file is opened to append. */
#ifndef RWF_APPEND
#define RWF_APPEND 0x10
#endif
#define RWF_AT_OFFSET 0x20 /* RWF_NOAPPEND */
static inline uint64_t offset_to_write(uint32_t entry, int64_t offset, int how)
{
    if (UNLIKELY(offset < 0) || UNLIKELY(how & RWF_APPEND)) return OFFSET_UNKNOWN;
    return UNLIKELY(entry & FD_APPEND) && !(how & RWF_AT_OFFSET) ? OFFSET_UNKNOWN : (uint64_t)offset;
}
static inline uint64_t offset_given(uint32_t entry, int is_write, int64_t offset, int how)
{
    return is_write ? offset_to_write(entry, offset, how) : offset >= 0 ? (uint64_t)offset : OFFSET_UNKNOWN;
}
