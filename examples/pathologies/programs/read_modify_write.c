/* Read-modify-write: to change 4 KiB, the program reads a window of 512 KiB, changes it in memory and writes it all back.
 * Mended: it writes the 4 KiB that change. --count: updates. */
#include "common.h"

#define WINDOW (512 * KIB)
#define UPDATE (4 * KIB)

int main(int argc, char **argv) {
  struct options options = read_options(argc, argv, 200);
  const char *path = path_in(options.folder[0], "table");
  if (options.prepare) {
    make_input(path, options.count * WINDOW);
    return 0;
  }
  int fd = open_direct(path, O_RDWR);
  char *window = aligned(WINDOW);

  for (long i = 0; i < options.count; i++) {
    off_t start = i * WINDOW, changed = i * 37 % (WINDOW / UPDATE) * UPDATE;
    if (options.mended) {
      fill(window, UPDATE, ~(start + changed));
      if (pwrite(fd, window, UPDATE, start + changed) != UPDATE) die(path);
      continue;
    }
    if (pread(fd, window, WINDOW, start) != WINDOW) die(path);
    fill(window + changed, UPDATE, ~(start + changed));
    if (pwrite(fd, window, WINDOW, start) != WINDOW) die(path);
  }
  return close(fd) == 0 ? 0 : 1;
}
