/*
 * `streams FOLDER`: uses buffered streams in every way there is, inlined, fortified and wide ones too, on one file each below FOLDER, and
 * ends with 0 when each did what it should. Streams that are open at the end are written by exit.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static int failures;
static const char *folder;
static char text[100000];

static FILE *file(const char *name, const char *how)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, how);
    if (!stream) exit(9);
    return stream;
}
#define CHECK(what) if (!(what)) failures++, fprintf(stderr, "%s\n", #what)
#define WRITES(name, what)                      \
    do {                                        \
        FILE *f = file(name, "w");              \
        for (int i = 0; i < 3000; i++) { what; } \
        CHECK(fclose(f) == 0);                  \
    } while (0)
#define READS(name, what)                       \
    do {                                        \
        FILE *f = file(name, "r");              \
        what;                                   \
        CHECK(fclose(f) == 0);                  \
    } while (0)

int main(int argc, char **argv)
{
    int number, c, lines = 0;
    char *line = NULL;
    size_t room = 0;
    if (argc != 2) return 2;
    folder = argv[1];
    WRITES("fprintf", fprintf(f, "%d lines\n", i));
    WRITES("fputs", fputs("some text\n", f));
    WRITES("putc", putc('x', f));
    WRITES("putc_unlocked", putc_unlocked('x', f));
    WRITES("fwrite", fwrite(text, 7, 9, f));
    WRITES("large", if (i < 10) fwrite(text, 1, sizeof text, f));
    WRITES("wide", fwprintf(f, L"%d wide\n", i));
    WRITES("flushed", fprintf(f, "%d\n", i); if (i % 100 == 0) fflush(f));
    WRITES("moved", fseek(f, 10 * i, SEEK_SET); fputc('y', f));
    READS("fprintf", while (fscanf(f, "%d lines\n", &number) == 1) lines++);
    CHECK(lines == 3000);
    READS("fputs", while (fgets(text, 100, f)) lines++);
    CHECK(lines == 6000);
    READS("fputs", while (getline(&line, &room, f) > 0) lines++);
    CHECK(lines == 9000);
    READS("putc", while ((c = getc(f)) != EOF) lines++);
    CHECK(lines == 12000);
    READS("putc_unlocked", while ((c = getc_unlocked(f)) != EOF) lines++);
    CHECK(lines == 15000);
    READS("fwrite", size_t got = 0; size_t one; while ((one = fread(text, 1, 1000, f)) > 0) got += one; CHECK(got == 3000 * 63));
    READS("wide", while (fgetws((wchar_t *)text, 100, f)) lines++);
    CHECK(lines == 18000);
    READS("moved", for (int i = 0; i < 10; i++) { rewind(f); CHECK(getc(f) == 'y'); });
    READS("large", char own[512]; setvbuf(f, own, _IOFBF, sizeof own); CHECK(fgetc(f) == 0); CHECK(ungetc('z', f) == 'z'));
    /* Both ways, and a stream whose descriptor has another number before. */
    FILE *f = file("both", "w+");
    fputs("written", f);
    rewind(f);
    CHECK(fgets(text, 100, f) && !strcmp(text, "written"));
    CHECK(freopen("/dev/null", "r", f) != NULL);
    fclose(f);
    f = tmpfile();
    CHECK(fputs("nameless", f) >= 0 && fflush(f) == 0);
    f = file("dprintf", "w");
    CHECK(dprintf(fileno(f), "%d\n", 12345) == 6);
    f = file("left-open", "w");
    setlinebuf(f);
    fprintf(f, "one\ntwo");
    return failures > 0;
}
