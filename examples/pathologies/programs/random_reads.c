/* Random reads: records are looked up in the order in which a list names them, so that the kernel can read nothing ahead.
 * Mended: the list is sorted first; the calls, their sizes and the bytes are the same. --count: records of the file. */
#include "common.h"

#define RECORD (8 * KIB)

static int by_position(const void *a, const void *b) {
  long left = *(const long *)a, right = *(const long *)b;
  return left < right ? -1 : left > right;
}

int main(int argc, char **argv) {
  struct options options = read_options(argc, argv, 6000);
  const char *path = path_in(options.folder[0], "input");
  if (options.prepare) {
    make_input(path, options.count * RECORD);
    return 0;
  }
  long *list = malloc(options.count * sizeof *list);
  for (long i = 0; i < options.count; i++) list[i] = i;
  srand(7);
  for (long i = options.count - 1; i > 0; i--) {
    long other = rand() % (i + 1), kept = list[i];
    list[i] = list[other];
    list[other] = kept;
  }
  if (options.mended) qsort(list, options.count, sizeof *list, by_position);

  int fd = open(path, O_RDONLY);
  if (fd < 0) die(path);
  char *record = aligned(RECORD);
  uint64_t sum = 0;
  for (long i = 0; i < options.count; i++) {
    if (pread(fd, record, RECORD, list[i] * RECORD) != RECORD) die(path);
    sum += sum_of(record, RECORD);
  }
  printf("sum %016llx\n", (unsigned long long)sum);
  return 0;
}
