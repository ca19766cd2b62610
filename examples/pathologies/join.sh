#!/bin/sh
# join.sh GROUP PROGRAM...: starts a program in a control group of storage.sh, a rank of MPI in the group of its link if it has one.
group=$1
shift
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-}}
if [ -n "$rank" ] && [ -d "$group/rank$rank" ]; then
  echo $$ > "$group/rank$rank/cgroup.procs"
else
  echo $$ > "$group/all/cgroup.procs"
fi || exit 1
exec "$@"
