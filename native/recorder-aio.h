/*
 * libaio: a request lasts from io_submit until io_getevents hands its result to the program. The library makes its system
 * calls through syscall(), so linked statically it is seen too; the functions are wrapped for versions that do otherwise, and since
 * io_getevents may answer without a system call. Part of recorder.c.
 */

#define AIO_MAX 16384
#define AIO_TRIES 64
struct aio_request {
    const void *control;
    uint64_t start_ns, bytes, offset;
    uint32_t entry;
    uint8_t op, flags;
};
static struct aio_request aio_requests[AIO_MAX];
static __thread int in_libaio __attribute__((tls_model("initial-exec")));

static struct aio_request *aio_slot(const void *control, const void *wanted)
{
    for (uint64_t at = mix((uintptr_t)control), i = 0; i < AIO_TRIES; i++) {
        struct aio_request *one = &aio_requests[(at + i) % AIO_MAX];
        if (__atomic_load_n(&one->control, __ATOMIC_ACQUIRE) == wanted) return one;
    }
    return NULL;
}
static uint64_t aio_bytes(const struct iocb *one, int is_vector)
{
    uint64_t sum = 0;
    const struct iovec *vector = (const struct iovec *)(uintptr_t)one->aio_buf;
    if (!is_vector) return one->aio_nbytes;
    for (uint64_t i = 0; vector && i < one->aio_nbytes && i < IOV_MAX; i++) sum += vector[i].iov_len;
    return sum;
}
/* Before the call: another thread can have the result before we are back. */
static void aio_enter(const struct iocb *one, uint64_t start_ns)
{
    unsigned op = 0;
    switch (one->aio_lio_opcode) {
    case IOCB_CMD_PREAD: case IOCB_CMD_PREADV: op = OP_LIBAIO_READ; break;
    case IOCB_CMD_PWRITE: case IOCB_CMD_PWRITEV: op = OP_LIBAIO_WRITE; break;
    case IOCB_CMD_FSYNC: case IOCB_CMD_FDSYNC: op = OP_SYNC; break;
    }
    uint32_t entry = op ? entry_of((int)one->aio_fildes) : FD_SKIP;
    if (entry & (FD_SKIP | FD_LOST)) return;
    int is_vector = one->aio_lio_opcode == IOCB_CMD_PREADV || one->aio_lio_opcode == IOCB_CMD_PWRITEV;
    for (int i = 0; i < 4; i++) {
        const void *nobody = NULL;
        struct aio_request *slot = aio_slot(one, NULL);
        if (!slot) break;
        if (!__atomic_compare_exchange_n(&slot->control, &nobody, slot, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) continue;
        slot->start_ns = start_ns;
        slot->bytes = op == OP_SYNC ? 0 : aio_bytes(one, is_vector);
        slot->offset = op == OP_SYNC ? OFFSET_UNKNOWN : offset_given(entry, op == OP_LIBAIO_WRITE, one->aio_offset, (int)one->aio_rw_flags);
        slot->entry = entry;
        slot->op = (uint8_t)op;
        slot->flags = op == OP_LIBAIO_READ ? 0 : FLAG_WRITE;
        __atomic_store_n(&slot->control, one, __ATOMIC_RELEASE);
        return;
    }
    struct header *header = trace_header();
    if (header) __atomic_fetch_add(&header->dropped, 1, __ATOMIC_RELAXED);
}
static int aio_take(const void *control, struct aio_request *taken)
{
    struct aio_request *slot = aio_slot(control, control);
    if (!slot) return 0;
    *taken = *slot;
    return __atomic_compare_exchange_n(&slot->control, &control, NULL, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
static void aio_submitted(struct iocb **list, long count, long result)
{
    struct aio_request unused;
    for (long i = result > 0 ? result : 0; i < count; i++)
        if (list[i]) aio_take(list[i], &unused);
}
static void aio_done(const struct io_event *events, long count)
{
    if (count <= 0 || !events) return;
    int saved = errno;
    uint64_t end_ns = now();
    for (long i = 0; i < count; i++) {
        struct aio_request one;
        if (!aio_take((const void *)(uintptr_t)events[i].obj, &one)) continue;
        int64_t result = events[i].res;
        if (one.entry & FD_DEVICE_MASK) wait_for_device((one.entry >> FD_DEVICE_SHIFT) - 1, one.start_ns, result);
        record_at(one.op, one.flags | entry_flags(one.entry) | (result < 0 ? FLAG_ERROR : 0), one.entry & 0xffff, one.bytes,
               one.op == OP_SYNC ? MOVED_UNKNOWN : result < 0 ? -1 : result, one.start_ns, end_ns, one.offset);
    }
    errno = saved;
}

#define SUBMITS(list, count, call)                                                     \
    if (!is_on() || in_libaio || !(list) || (count) <= 0) return call;                 \
    uint64_t start_ns = now();                                                         \
    for (long i = 0; i < (long)(count); i++)                                           \
        if ((list)[i]) aio_enter((list)[i], start_ns);                                 \
    in_libaio = 1;                                                                     \
    __auto_type result = call;                                                         \
    in_libaio = 0;                                                                     \
    aio_submitted(list, count, result);                                                \
    return result
#define REAPS(events, call)                                                            \
    if (!is_on() || in_libaio) return call;                                            \
    in_libaio = 1;                                                                     \
    __auto_type result = call;                                                         \
    in_libaio = 0;                                                                     \
    aio_done(events, result);                                                          \
    return result
/* Without the library it is as if the kernel had not got it. */
#define FOUND_AIO(name) ((__typeof__(real_##name))(LIKELY(real_##name != NULL) ? (void *)real_##name : resolve_in((void **)&real_##name, #name, "libaio")))
#define REAL_AIO(name, arguments) (FOUND_AIO(name) ? FOUND_AIO(name) arguments : -ENOSYS)

WRAP(int, io_submit, (void *context, long count, struct iocb **list))
{
    SUBMITS(list, count, REAL_AIO(io_submit, (context, count, list)));
}
WRAP(int, io_getevents, (void *context, long least, long most, struct io_event *events, struct timespec *timeout))
{
    REAPS(events, REAL_AIO(io_getevents, (context, least, most, events, timeout)));
}
WRAP(int, io_pgetevents, (void *context, long least, long most, struct io_event *events, struct timespec *timeout, sigset_t *mask))
{
    REAPS(events, REAL_AIO(io_pgetevents, (context, least, most, events, timeout, mask)));
}

/* ---- lio_listio ------------------------------------------------------------------------------------------------------- */

/* Waits for all, or leaves them to aio_return as if each had been started by itself. */
#define WRAP_LISTIO(name, type)                                                                                    \
    WRAP(int, name, (int how, struct type *const *list, int count, struct sigevent *event))                        \
    {                                                                                                              \
        MAY_BE_NULL(list);                                                                                         \
        if (!is_on() || count <= 0 || !list) return REAL(name)(how, list, count, event);                           \
        struct span span;                                                                                          \
        uint64_t start_ns = now();                                                                                 \
        int result = REAL(name)(how, list, count, event), saved = errno;                                           \
        for (int i = 0; i < count; i++) {                                                                          \
            struct type *one = list[i];                                                                            \
            if (!one || one->aio_lio_opcode == LIO_NOP || !begin(&span, one->aio_fildes)) continue;                \
            int is_write = one->aio_lio_opcode == LIO_WRITE;                                                       \
            unsigned op = is_write ? OP_AIO_WRITE : OP_AIO_READ;                                                   \
            span.start_ns = start_ns;                                                                              \
            if (how != LIO_WAIT) async_started(&span, one, op, one->aio_nbytes, offset_given(span.entry, is_write, one->aio_offset, 0), one->__error_code == EINPROGRESS || one->__error_code == 0 ? 0 : -1); \
            else finish_at(&span, op, is_write ? FLAG_WRITE : 0, one->aio_nbytes, one->__error_code == 0 ? one->__return_value : -1, offset_given(span.entry, is_write, one->aio_offset, 0)); \
        }                                                                                                          \
        errno = saved;                                                                                             \
        return result;                                                                                             \
    }
WRAP_LISTIO(lio_listio, aiocb)
WRAP_LISTIO(lio_listio64, aiocb64)
