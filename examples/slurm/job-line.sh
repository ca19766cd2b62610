#!/bin/sh
# Tells what a job did to the file system, in one sentence: in its AdminComment (sacct -o AdminComment, scontrol show job), and by mail to
# its user when there is something to change and MAIL_TO is set.
#     job-line.sh JOBID [CLUSTER]
# Runs where the store is, after an ingest that has the job; as root or SlurmUser, who may set AdminComment. For all jobs that ended:
#     sacct -n -X -S now-20minutes -E now -s CD,F,TO,CA -o JobIDRaw%-20 | xargs -r -n 1 job-line.sh
# Settings: PLIMSOLL (program), PLIMSOLL_STORE (folder), MAIL_TO (a user or an address), in /etc/plimsoll/collect.conf or the environment.

PATH=/usr/local/bin:/usr/bin:/bin:$PATH
# shellcheck source=/dev/null
[ -r "${PLIMSOLL_CONF:-/etc/plimsoll/collect.conf}" ] && . "${PLIMSOLL_CONF:-/etc/plimsoll/collect.conf}"

[ -n "$1" ] || { echo "usage: job-line.sh JOBID [CLUSTER]" >&2; exit 2; }
line=$(timeout 60 "${PLIMSOLL:-plimsoll}" job "$1" --line --store "${PLIMSOLL_STORE:-/srv/plimsoll/store}" ${2:+--cluster "$2"}) || exit 1
printf '%s\n' "$line"
# scontrol changes jobs that run or complete; those that ended are in slurmdbd. sacctmgr makes all letters small.
scontrol update "JobId=$1" "AdminComment=$line" 2>/dev/null ||
  sacctmgr -i modify job where "jobid=$1" set "AdminComment=$line" >/dev/null || exit 1
case $line in
  *"To change:"*) [ -z "$MAIL_TO" ] || printf '%s\n' "$line" | mail -s "I/O of job $1" "$MAIL_TO" ;;
esac
exit 0
