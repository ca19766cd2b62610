/* Open churn: a log file is opened and closed for every line. Mended: it stays open. --count: lines. */
#include "common.h"

#define LINE 64

int main(int argc, char **argv) {
  struct options options = read_options(argc, argv, 200000);
  const char *path = path_in(options.folder[0], "log");
  char line[LINE];
  unlink(path);
  int fd = -1;

  for (long i = 0; i < options.count; i++) {
    if (fd < 0) fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0) die(path);
    fill(line, LINE, i * LINE);
    if (write(fd, line, LINE) != LINE) die(path);
    if (options.mended) continue;
    close(fd);
    fd = -1;
  }
  return fd < 0 || close(fd) == 0 ? 0 : 1;
}
