/*
 * The workloads of `plimsoll study metric`: the access patterns of IOzone, IOR and Hpio in the BPS paper, as small as they
 * can be. Compiled on first use and run under the recorder.
 *
 *   workload make FILE BYTES             a file whose n-th 64-bit word is n
 *   workload drop FILE...                writes back and takes the files out of the page cache; prints resident pages
 *   workload warm FILE...                reads the files once, so that the page cache has them
 *   workload read BYTES RECORD direct|buffered shared|own PROCESSES FILE...
 *                                        PROCESSES processes read BYTES in all, RECORD at a time, in sequence: each its own
 *                                        file (own: one FILE for each) or its part of one file (shared)
 *   workload sieve REGIONS SIZE SPACING CALLS PASSES BUFFER FILE
 *                                        reads REGIONS regions of SIZE bytes that lie SPACING apart, in CALLS calls, PASSES times over, by
 *                                        reading whole windows of BUFFER bytes and picking the regions out of them
 *
 * Prints one JSON line with the wall time by its own clock, from its first statement to when the last process is done.
 * Data that is read is checked: a wrong word is exit 3. Exit 1: a system call failed; 2: wrong words.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Data sieving of our own, in a library of its own (-DSIEVE_LIBRARY) that answers to names of MPI. The recorder stands before
 * it and sees one access of the application with the reads below it, as with a real MPI library.
 */
struct sieved {
  int fd;
  const char *path;
  uint64_t size, spacing, region, buffer_bytes;
  char *buffer;
};

#ifdef SIEVE_LIBRARY

/* A "type" is its size. */
int PMPI_Type_size(uintptr_t type, int *size) {
  *size = (int)type;
  return 0;
}

int PMPI_File_read(uintptr_t file, void *to, int regions, uintptr_t type, void *status) {
  struct sieved *s = (struct sieved *)file;
  uint64_t stride = s->size + s->spacing, first = s->region * stride;
  uint64_t end = first + ((uint64_t)regions - 1) * stride + s->size;
  char *out = to;
  uint64_t window = 0, length = 0;
  (void)type, (void)status;
  for (uint64_t r = 0; r < (uint64_t)regions; r++) {
    uint64_t at = first + r * stride, copied = 0;
    while (copied < s->size) {
      uint64_t place = at + copied;
      if (place >= window + length) {
        window = place;
        length = end - window < s->buffer_bytes ? end - window : s->buffer_bytes;
        ssize_t n = pread(s->fd, s->buffer, length, (off_t)window);
        if (n < 0 || (uint64_t)n != length) return 1;
      }
      uint64_t some = window + length - place < s->size - copied ? window + length - place : s->size - copied;
      memcpy(out, s->buffer + (place - window), some);
      out += some;
      copied += some;
    }
  }
  s->region += (uint64_t)regions;
  return 0;
}

int MPI_File_read(uintptr_t file, void *to, int regions, uintptr_t type, void *status) {
  return PMPI_File_read(file, to, regions, type, status);
}

#else

int MPI_File_read(uintptr_t file, void *to, int regions, uintptr_t type, void *status);

#define ALIGN 4096
#define MAKE_CHUNK (1 << 20)

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const char *what, const char *path) {
  fprintf(stderr, "workload: cannot %s %s: %s\n", what, path, strerror(errno));
  exit(1);
}

static void wrong(const char *path, uint64_t offset, uint64_t found) {
  fprintf(stderr, "workload: %s: byte %llu: expected word %llu, found %llu\n", path, (unsigned long long)offset,
          (unsigned long long)(offset / 8), (unsigned long long)found);
  exit(3);
}

static void usage(void) {
  fprintf(stderr, "workload: make FILE BYTES | drop FILE... | warm FILE... | read BYTES RECORD direct|buffered shared|own PROCESSES "
                  "FILE... | sieve REGIONS SIZE SPACING CALLS PASSES BUFFER FILE\n");
  exit(2);
}

static uint64_t number(const char *text) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno || *end || end == text) usage();
  return value;
}

static void *buffer_of(size_t bytes) {
  void *memory;
  if (posix_memalign(&memory, ALIGN, bytes ? bytes : ALIGN)) {
    fprintf(stderr, "workload: no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

static void make(const char *path, uint64_t bytes) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0) fail("make", path);
  uint64_t *words = buffer_of(MAKE_CHUNK);
  for (uint64_t done = 0; done < bytes;) {
    for (uint64_t i = 0; i < MAKE_CHUNK / 8; i++) words[i] = done / 8 + i;
    uint64_t left = bytes - done < MAKE_CHUNK ? bytes - done : MAKE_CHUNK;
    ssize_t n = write(fd, words, left);
    /* What is written next must begin with a whole word. */
    if (n < 0 || (n % 8 && (uint64_t)n < left)) fail("write", path);
    done += (uint64_t)n;
  }
  if (fsync(fd) && errno != EINVAL) fail("sync", path);
  if (close(fd)) fail("close", path);
}

/* Resident pages after asking the kernel to forget the file; a file in memory stays where it is. */
static uint64_t drop(const char *path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) fail("open", path);
  if (fdatasync(fd) && errno != EINVAL) fail("sync", path);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  struct stat st;
  if (fstat(fd, &st)) fail("look at", path);
  uint64_t resident = 0;
  if (st.st_size > 0) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = ((size_t)st.st_size + page - 1) / page;
    unsigned char *seen = buffer_of(pages);
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED || mincore(map, (size_t)st.st_size, seen)) fail("look at", path);
    for (size_t i = 0; i < pages; i++) resident += seen[i] & 1;
    munmap(map, (size_t)st.st_size);
    free(seen);
  }
  close(fd);
  return resident;
}

static void warm(const char *path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) fail("open", path);
  char *data = buffer_of(MAKE_CHUNK);
  ssize_t n;
  while ((n = read(fd, data, MAKE_CHUNK)) > 0) {
  }
  if (n < 0) fail("read", path);
  free(data);
  close(fd);
}

static void read_part(const char *path, uint64_t from, uint64_t to, uint64_t record, int direct) {
  int fd = open(path, O_RDONLY | (direct ? O_DIRECT : 0));
  if (fd < 0) fail("open", path);
  uint64_t *data = buffer_of(record);
  for (uint64_t offset = from; offset < to; offset += record) {
    uint64_t want = to - offset < record ? to - offset : record;
    ssize_t n = pread(fd, data, want, (off_t)offset);
    if (n < 0) fail("read", path);
    if ((uint64_t)n != want) {
      fprintf(stderr, "workload: %s: read %zd bytes at %llu, expected %llu\n", path, n, (unsigned long long)offset,
              (unsigned long long)want);
      exit(1);
    }
    if (data[0] != offset / 8) wrong(path, offset, data[0]);
  }
  close(fd);
}

static void read_all(uint64_t bytes, uint64_t record, int direct, int own, uint64_t processes, char **paths) {
  uint64_t records = (bytes + record - 1) / record;
  /* Children wait until all are there, so that concurrency is what it says. */
  int gate[2];
  if (pipe(gate)) fail("make", "a pipe");
  uint64_t *ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (ready == MAP_FAILED) fail("map", "memory");
  pid_t program = getpid();
  for (uint64_t p = 0; p < processes; p++) {
    uint64_t from = records * p / processes * record, to = records * (p + 1) / processes * record;
    if (to > bytes) to = bytes;
    pid_t child = fork();
    if (child < 0) fail("start", "a process");
    if (child > 0) continue;
    /* Who stops the program stops all of it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != program) exit(1);
    close(gate[1]);
    __atomic_fetch_add(ready, 1, __ATOMIC_SEQ_CST);
    char byte;
    while (read(gate[0], &byte, 1) < 0 && errno == EINTR) {
    }
    if (own) read_part(paths[p], 0, to - from, record, direct);
    else read_part(paths[0], from, to, record, direct);
    exit(0);
  }
  close(gate[0]);
  while (__atomic_load_n(ready, __ATOMIC_SEQ_CST) < processes) {
    struct timespec pause = {0, 100000};
    nanosleep(&pause, NULL);
  }
  close(gate[1]);
  int worst = 0, status;
  while (wait(&status) > 0) {
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code > worst) worst = code;
  }
  if (worst) exit(worst);
}

static void sieve(uint64_t regions, uint64_t size, uint64_t spacing, uint64_t calls, uint64_t passes, uint64_t buffer,
                  const char *path) {
  struct sieved s = {.path = path, .size = size, .spacing = spacing, .buffer_bytes = buffer};
  s.fd = open(path, O_RDONLY);
  if (s.fd < 0) fail("open", path);
  s.buffer = buffer_of(buffer);
  uint64_t most = (regions + calls - 1) / calls;
  char *data = buffer_of(most * size);
  for (uint64_t i = 0; i < passes * calls; i++) {
    uint64_t c = i % calls;
    if (c == 0) s.region = 0;
    uint64_t first = regions * c / calls, count = regions * (c + 1) / calls - first;
    if (count == 0) continue;
    if (MPI_File_read((uintptr_t)&s, data, (int)count, (uintptr_t)size, NULL)) fail("read", path);
    for (uint64_t r = 0; r < count; r++) {
      uint64_t word, offset = (first + r) * (size + spacing);
      memcpy(&word, data + r * size, 8);
      if (word != offset / 8) wrong(path, offset, word);
    }
  }
  close(s.fd);
}

int main(int argc, char **argv) {
  double began = now();
  if (argc < 3) usage();
  if (!strcmp(argv[1], "make") && argc == 4) {
    make(argv[2], number(argv[3]));
    return 0;
  }
  if (!strcmp(argv[1], "warm")) {
    for (int i = 2; i < argc; i++) warm(argv[i]);
    return 0;
  }
  if (!strcmp(argv[1], "drop")) {
    uint64_t resident = 0;
    for (int i = 2; i < argc; i++) resident += drop(argv[i]);
    printf("{\"residentPages\":%llu}\n", (unsigned long long)resident);
    return 0;
  }
  if (!strcmp(argv[1], "read") && argc >= 8) {
    uint64_t bytes = number(argv[2]), record = number(argv[3]), processes = number(argv[6]);
    int direct = !strcmp(argv[4], "direct"), own = !strcmp(argv[5], "own");
    if (record == 0 || record % 8 || processes == 0 || (own && (uint64_t)argc != 7 + processes)) usage();
    read_all(bytes, record, direct, own, processes, argv + 7);
  } else if (!strcmp(argv[1], "sieve") && argc == 9) {
    uint64_t size = number(argv[3]), spacing = number(argv[4]), calls = number(argv[5]);
    /* The words of the file are checked at the start of each region. */
    if (size == 0 || size % 8 || spacing % 8 || calls == 0) usage();
    sieve(number(argv[2]), size, spacing, calls, number(argv[6]), number(argv[7]), argv[8]);
  } else usage();
  printf("{\"seconds\":%.9f}\n", now() - began);
  return 0;
}

#endif
