/* Unbuffered stdio: with _IONBF every fwrite of 24 bytes is a system call. Mended: the stream has a buffer of 1 MiB.
 * --count: records. */
#include "common.h"

#define RECORD 24

int main(int argc, char **argv) {
  struct options options = read_options(argc, argv, 2000000);
  const char *path = path_in(options.folder[0], "out");
  FILE *file = fopen(path, "w");
  if (file == NULL) die(path);
  setvbuf(file, NULL, options.mended ? _IOFBF : _IONBF, options.mended ? MIB : 0);
  char record[RECORD];

  for (long i = 0; i < options.count; i++) {
    fill(record, RECORD, i * RECORD);
    if (fwrite(record, RECORD, 1, file) != 1) die(path);
  }
  return fclose(file) == 0 ? 0 : 1;
}
