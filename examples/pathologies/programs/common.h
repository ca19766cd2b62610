/* What the C programs share: the command line, data that can be checked, and files that bypass the page cache. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIB 1024L
#define MIB (1024L * 1024L)
#define FOLDERS_MAX 8

/* PROGRAM FOLDER... [--mended] [--prepare] [--count N] */
struct options {
  const char *folder[FOLDERS_MAX];
  int folders;
  int mended;  /* run without the flaw */
  int prepare; /* only make the input, which is not measured */
  long count;  /* how much to do; each program says of what */
};

static void die(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static struct options read_options(int argc, char **argv, long count) {
  struct options options = {.count = count};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--mended") == 0) options.mended = 1;
    else if (strcmp(argv[i], "--prepare") == 0) options.prepare = 1;
    else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc) options.count = atol(argv[++i]);
    else if (argv[i][0] != '-' && options.folders < FOLDERS_MAX) options.folder[options.folders++] = argv[i];
    else options.count = -1;
  }
  if (options.folders == 0 || options.count < 1) {
    fprintf(stderr, "usage: %s FOLDER... [--mended] [--prepare] [--count N]\n", argv[0]);
    exit(2);
  }
  return options;
}

/* The path of a file in a folder; valid until the eighth call after this one. */
__attribute__((unused)) static const char *path_in(const char *folder, const char *name) {
  static char paths[8][4096];
  static int next;
  char *path = paths[next++ % 8];
  if (snprintf(path, sizeof paths[0], "%s/%s", folder, name) >= (int)sizeof paths[0]) die("path too long");
  return path;
}

/* Opens with O_DIRECT, so that the storage counts and not the page cache; without it where the file system has none. */
__attribute__((unused)) static int open_direct(const char *path, int flags) {
  int fd = open(path, flags | O_DIRECT, 0644);
  if (fd < 0 && errno == EINVAL) fd = open(path, flags, 0644);
  if (fd < 0) die(path);
  return fd;
}

/* O_DIRECT wants memory and file offsets aligned. */
__attribute__((unused)) static char *aligned(size_t bytes) {
  void *memory;
  if (posix_memalign(&memory, 4096, bytes) != 0) die("memory");
  memset(memory, 0, bytes);
  return memory;
}

/* Fills memory with the bytes that belong at a position of the data, so that two variants can be compared. */
__attribute__((unused)) static void fill(char *memory, size_t bytes, uint64_t position) {
  for (size_t i = 0; i + 8 <= bytes; i += 8) {
    uint64_t value = (position + i) * 0x9e3779b97f4a7c15u;
    memcpy(memory + i, &value, 8);
  }
}

/* A sum that does not depend on the order of reading. */
__attribute__((unused)) static uint64_t sum_of(const char *memory, size_t bytes) {
  uint64_t sum = 0, value;
  for (size_t i = 0; i + 8 <= bytes; i += 8) {
    memcpy(&value, memory + i, 8);
    sum += value;
  }
  return sum;
}

/* A file of a size that is known before: ranks that make a file longer wait for each other. */
__attribute__((unused)) static void make_empty(const char *path, long bytes) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0 || ftruncate(fd, bytes) != 0) die(path);
  close(fd);
}

/* Makes an input file of this size and drops it from the page cache. */
__attribute__((unused)) static void make_input(const char *path, long bytes) {
  char *piece = aligned(MIB);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) die(path);
  for (long at = 0; at < bytes; at += MIB) {
    long length = bytes - at < MIB ? bytes - at : MIB;
    fill(piece, length, at);
    if (write(fd, piece, length) != length) die(path);
  }
  if (fsync(fd) != 0) die(path);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  close(fd);
  free(piece);
}
