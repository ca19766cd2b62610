/*
 * Reads logs through darshan-util as its own tools do: job, name table, every record of every module. Prints the
 * seconds of each round and a checksum (records, names, sum of record ids), which must equal ours.
 *   peer ROUNDS LOG...
 */
#include <stdio.h>
#include <stdlib.h>
#include <inttypes.h>
#include <time.h>
#include "darshan-logutils.h"

static uint64_t records, names, ids;

static void read_log(const char *path)
{
    struct darshan_job job;
    struct darshan_name_record_ref *table = NULL, *entry, *next;
    darshan_fd log = darshan_log_open(path);
    if (!log || darshan_log_get_job(log, &job) < 0 || darshan_log_get_namehash(log, &table) < 0) exit(1);
    for (int m = 0; m < DARSHAN_KNOWN_MODULE_COUNT; m++) {
        if (log->mod_map[m].len == 0 || !mod_logutils[m]) continue;
        void *record = NULL;
        while (mod_logutils[m]->log_get_record(log, &record) == 1) {
            struct darshan_base_record *base = record;
            records++;
            ids += base->id;
            /* DXT allocates each record anew; the others fill the buffer they are given. */
            if (m == DXT_POSIX_MOD || m == DXT_MPIIO_MOD) {
                struct dxt_file_record *trace = record;
                records += trace->write_count + trace->read_count;
                free(record);
                record = NULL;
            }
        }
        free(record);
    }
    HASH_ITER(hlink, table, entry, next) {
        names++;
        HASH_DELETE(hlink, table, entry);
        free(entry->name_record);
        free(entry);
    }
    darshan_log_close(log);
}

int main(int argc, char **argv)
{
    int rounds = atoi(argv[1]);
    for (int round = 0; round < rounds; round++) {
        struct timespec start, end;
        records = names = ids = 0;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 2; i < argc; i++) read_log(argv[i]);
        clock_gettime(CLOCK_MONOTONIC, &end);
        printf("%.9f\n", (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9);
    }
    printf("checksum %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", records, names, ids);
    return 0;
}
