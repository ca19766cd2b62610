#!/bin/sh
# Lists the jobs that began or ended since the last call, for `plimsoll ingest`. Run it where sacct works, as a user who may
# see everybody's jobs, before each ingest (examples/systemd/plimsoll-sacct.service), or by cron:
#
#     sacct.sh WORK OUT [more options of sacct, such as --allclusters]
#
# OUT gets one file a call, OUT/TIME.sacct; WORK, a folder of the same file system, has the time of the last call and what is
# not whole yet. The first call lists the last day. Times are printed as seconds since 1970, so that no zone has to be known.
# Lists older than 30 days go.
set -eu
work=$1
out=$2
shift 2
mkdir -p "$work" "$out"
now=$(date +%s)
since=$(cat "$work/since" 2>/dev/null || echo $((now - 86400)))
# slurmctld may tell slurmdbd late of what happened, so each list goes back ten minutes more. A job that is listed twice
# counts once.
from=$((since - 600))

SLURM_TIME_FORMAT=%s sacct -a -X -D -P --noconvert --delimiter="$(printf '\037')" \
  -S "$(date -d "@$from" +%Y-%m-%dT%H:%M:%S)" -E "$(date -d "@$now" +%Y-%m-%dT%H:%M:%S)" \
  -o Cluster,JobIDRaw,JobID,User,UID,Account,Partition,State,ExitCode,Submit,Start,End,ElapsedRaw,NNodes,NCPUS,AllocTRES,NodeList,JobName \
  "$@" >"$work/all"

# A job that ran all the time was listed when it began.
awk -F '\037' -v from="$from" 'NR == 1 || $11 + 0 >= from || $12 + 0 >= from' "$work/all" >"$work/new"
if [ "$(wc -l <"$work/new")" -gt 1 ]; then mv "$work/new" "$out/$now.sacct"; fi
echo "$now" >"$work/since.new"
mv "$work/since.new" "$work/since"
rm -f "$work/all" "$work/new"
find "$out" -name '*.sacct' -mtime +30 -delete
