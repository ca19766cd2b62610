#!/bin/sh
# Slurm's Prolog=: puts the node's Lustre counters aside before a job.
#
#     slurm.conf:  Prolog=/etc/slurm/prolog.sh
#                  Epilog=/etc/slurm/epilog.sh
#                  PrologFlags=Alloc        (else the prolog misses nodes on which no step starts)
#
# A prolog that fails drains the node, so this one cannot: whatever happens it ends with 0, and within 10 seconds.
# Settings may stand in /etc/plimsoll/collect.conf, for instance PLIMSOLL_DIR=/var/spool/plimsoll.

PATH=/usr/local/bin:/usr/bin:/bin
# shellcheck source=/dev/null
[ -r "${PLIMSOLL_CONF:-/etc/plimsoll/collect.conf}" ] && . "${PLIMSOLL_CONF:-/etc/plimsoll/collect.conf}"

timeout --kill-after=1 10 "${PLIMSOLL:-plimsoll}" collect client --before \
  --dir "${PLIMSOLL_DIR:-/var/lib/plimsoll/client}" --root "${PLIMSOLL_ROOT:-/}" </dev/null
exit 0
