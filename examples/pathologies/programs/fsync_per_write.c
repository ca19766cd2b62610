/* fsync after every write: each waits until the storage has the record and the file's new length. Mended: one fsync at the
 * end, after which the same bytes are as safe. --count: records. */
#include "common.h"

#define RECORD (16 * KIB)

int main(int argc, char **argv) {
  struct options options = read_options(argc, argv, 700);
  const char *path = path_in(options.folder[0], "out");
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) die(path);
  char *record = aligned(RECORD);

  for (long i = 0; i < options.count; i++) {
    fill(record, RECORD, i * RECORD);
    if (write(fd, record, RECORD) != RECORD) die(path);
    if (!options.mended && fsync(fd) != 0) die("fsync");
  }
  if (options.mended && fsync(fd) != 0) die("fsync");
  return close(fd) == 0 ? 0 : 1;
}
