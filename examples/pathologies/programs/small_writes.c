/* Small writes: every record of 4 KiB is a request to the storage. Mended: records are gathered to 1 MiB. --count: records. */
#include "common.h"

#define RECORD (4 * KIB)
#define GATHERED (1 * MIB)

int main(int argc, char **argv) {
  struct options options = read_options(argc, argv, 5000);
  const char *path = path_in(options.folder[0], "out");
  int fd = open_direct(path, O_WRONLY | O_CREAT | O_TRUNC);
  size_t room = options.mended ? GATHERED : RECORD, used = 0;
  char *buffer = aligned(room);

  for (long i = 0; i < options.count; i++) {
    fill(buffer + used, RECORD, i * RECORD);
    used += RECORD;
    if (used < room && i + 1 < options.count) continue;
    if (write(fd, buffer, used) != (ssize_t)used) die(path);
    used = 0;
  }
  return close(fd) == 0 ? 0 : 1;
}
