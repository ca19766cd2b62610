#!/bin/sh
# Slurm's EpilogSlurmctld=: when a job has ended, stores what its nodes counted and puts the sentence of job-line.sh into its AdminComment.
# The epilogs of its nodes run at the same time: it waits for their documents, in the background, so that nodes are free at once.
# slurmctld runs it as SlurmUser, who needs to read the documents and to write the store.
# Settings, in /etc/plimsoll/collect.conf: PLIMSOLL (program), PLIMSOLL_STORE (folder), PLIMSOLL_READINGS (a folder that all nodes share, with the
# documents of epilog.sh somewhere below), PLIMSOLL_LINE (job-line.sh, beside this script unless set), PLIMSOLL_LOG (file for what goes wrong).

PATH=/usr/local/bin:/usr/bin:/bin:$PATH
# shellcheck source=/dev/null
[ -r "${PLIMSOLL_CONF:-/etc/plimsoll/collect.conf}" ] && . "${PLIMSOLL_CONF:-/etc/plimsoll/collect.conf}"

tell() {
  nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST" 2>/dev/null | wc -l)
  tries=0
  # NODE~CLUSTER~JOB~TIME.json; half a minute is more than an epilog may take.
  while [ "$(find "$PLIMSOLL_READINGS" -name "*~$SLURM_JOB_ID~*.json" | wc -l)" -lt "$nodes" ] && [ $tries -lt 30 ]; do
    tries=$((tries + 1))
    sleep 1
  done
  find "$PLIMSOLL_READINGS" -name "*~$SLURM_JOB_ID~*.json" -exec timeout 120 "${PLIMSOLL:-plimsoll}" ingest --store "${PLIMSOLL_STORE:-/srv/plimsoll/store}" {} + &&
    "${PLIMSOLL_LINE:-$(dirname "$0")/job-line.sh}" "$SLURM_JOB_ID"
}
tell </dev/null >>"${PLIMSOLL_LOG:-/dev/null}" 2>&1 &
exit 0
