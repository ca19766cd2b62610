#!/bin/bash
# Storage that is slow by a known amount: ext4 file systems on loop devices in memory, throttled by the block I/O controller.
#
#   storage.sh FOLDER TARGET... [link=RANK:WRITE-MIB/S...]
#     TARGET   NAME:MIB:WRITE-MIB/S:WRITES/S:READ-MIB/S:READS/S:OPTIONS   mounted at FOLDER/NAME; 0 is no limit
#     link     that rank reaches the targets by a link of its own, as from a node of its own
#   storage.sh --check         says whether this machine can do it (exit code 1: why not)
#   storage.sh --sweep         removes what runs left behind whose storage.sh was killed
#
# Prints "ready GROUP" when all is mounted and goes on until its standard input ends; then it removes everything. So whoever
# started it may even be killed: the pipe closes. Programs join GROUP (or GROUP/rankN) to be throttled: see join.sh.
set -u
MIB=$((1024 * 1024))
NAME=plimsoll-pathologies

# The controller of version 2 (io.max) where it is there, else that of version 1 (blkio.throttle.*).
find_controller() {
  V2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
  V1=$(awk '$3 == "cgroup" && $4 ~ /(^|,)blkio(,|$)/ { print $2; exit }' /proc/mounts)
  if [ -n "$V2" ] && grep -qw io "$V2/cgroup.controllers" 2> /dev/null; then
    VERSION=2 TOP=$V2
  elif [ -n "$V1" ] && [ -w "$V1/blkio.throttle.write_bps_device" ]; then
    VERSION=1 TOP=$V1
  else
    echo "no block I/O controller (cgroup io.max or blkio.throttle) on this machine"
    return 1
  fi
}

check() {
  [ "$(id -u)" = 0 ] || { echo "loop devices and throttling need root"; return 1; }
  for tool in losetup mkfs.ext4 mount; do
    command -v $tool > /dev/null || { echo "$tool is missing"; return 1; }
  done
  [ -e /dev/loop-control ] || { echo "no loop devices"; return 1; }
  find_controller
}

limit() { if [ "$1" = 0 ]; then echo max; else echo "$1"; fi; }

# throttle GROUP MAJOR:MINOR WRITE-BYTES/S WRITES/S READ-BYTES/S READS/S; 0 is no limit
throttle() {
  if [ "$VERSION" = 1 ]; then
    echo "$2 $3" > "$1/blkio.throttle.write_bps_device" &&
      echo "$2 $4" > "$1/blkio.throttle.write_iops_device" &&
      echo "$2 $5" > "$1/blkio.throttle.read_bps_device" &&
      echo "$2 $6" > "$1/blkio.throttle.read_iops_device"
  else
    echo "$2 wbps=$(limit "$3") wiops=$(limit "$4") rbps=$(limit "$5") riops=$(limit "$6")" > "$1/io.max"
  fi
}

make_group() {
  GROUP=$TOP/$NAME-$$
  if [ "$VERSION" = 2 ]; then
    grep -qw io "$TOP/cgroup.subtree_control" || echo +io > "$TOP/cgroup.subtree_control" || return 1
  fi
  mkdir "$GROUP" || return 1
  # In version 2 a group has either processes or groups with a controller: programs without a link are in a group, too.
  mkdir "$GROUP/all" || return 1
  [ "$VERSION" = 1 ] || echo +io > "$GROUP/cgroup.subtree_control"
}

# make_target FOLDER NAME:MIB:WRITE-MIB/S:WRITES/S:READ-MIB/S:READS/S:OPTIONS
make_target() {
  local name mib wbps wiops rbps riops options image loop device
  IFS=: read -r name mib wbps wiops rbps riops options <<< "$2"
  image=$(mktemp "/dev/shm/$NAME-$$-XXXXXX") || return 1
  # Without a journal in the way: what is throttled are the program's own requests.
  truncate -s "${mib}M" "$image" && mkfs.ext4 -q -F -O ^has_journal -m 0 "$image" || return 1
  loop=$(losetup --find --show "$image") || return 1
  # The device keeps the memory until it is detached, whatever happens to this script.
  rm -f "$image"
  mkdir -p "$1/$name" && mount -o "noatime${options:+,$options}" "$loop" "$1/$name" || return 1
  device=$(cat "/sys/block/${loop#/dev/}/dev")
  DEVICES+=("$device")
  throttle "$GROUP/all" "$device" $((wbps * MIB)) "$wiops" $((rbps * MIB)) "$riops" || return 1
  # The kernel writes back dirty pages in the top group of version 1.
  [ "$VERSION" = 2 ] || throttle "$TOP" "$device" $((wbps * MIB)) "$wiops" $((rbps * MIB)) "$riops"
}

# make_link RANK:WRITE-MIB/S
make_link() {
  local rank=${1%%:*} wbps=${1#*:} device
  mkdir "$GROUP/rank$rank" || return 1
  for device in "${DEVICES[@]}"; do
    throttle "$GROUP/rank$rank" "$device" $((wbps * MIB)) 0 0 0 || return 1
  done
}

# remove GROUP: what is mounted from loop devices of that run, its limits, its group with all processes in it.
remove() {
  local group=$1 id=${1##*-} procs loop mount device
  for procs in "$group"/cgroup.procs "$group"/*/cgroup.procs; do
    [ -e "$procs" ] && xargs -r kill -KILL < "$procs" 2> /dev/null
  done
  losetup -l -n -O NAME,BACK-FILE | awk -v file="/dev/shm/$NAME-$id-" 'index($2, file) == 1 { print $1 }' | while read -r loop; do
    device=$(cat "/sys/block/${loop#/dev/}/dev")
    awk -v loop="$loop" '$1 == loop { print $2 }' /proc/mounts | while read -r mount; do
      for _ in 1 2 3 4 5; do
        umount "$mount" 2> /dev/null && break
        sleep 0.2
      done
      mountpoint -q "$mount" && umount -l "$mount"
      rmdir "$mount" 2> /dev/null
    done
    losetup -d "$loop"
    # A loop device outlives its file, and so would its limits.
    [ "$VERSION" = 2 ] || throttle "$TOP" "$device" 0 0 0 0
  done
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    rmdir "$group"/*/ "$group" 2> /dev/null
    [ -e "$group" ] || break
    sleep 0.2
  done
  rm -f "/dev/shm/$NAME-$id-"*
}

sweep() {
  local group
  for group in "$TOP/$NAME"-*; do
    [ -d "$group" ] && ! kill -0 "${group##*-}" 2> /dev/null && remove "$group"
  done
  return 0
}

main() {
  local folder=$1 word
  shift
  sweep
  DEVICES=()
  # Ctrl-C reaches this script together with its parent; it must outlive the programs that use the storage.
  trap '' INT TERM HUP
  trap 'remove "$GROUP"' EXIT
  make_group || exit 1
  for word in "$@"; do
    case $word in
      link=*) make_link "${word#link=}" ;;
      *) make_target "$folder" "$word" ;;
    esac || { echo "cannot make $word" >&2; exit 1; }
  done
  echo "ready $GROUP"
  cat > /dev/null
}

reason=$(check) || { echo "$reason"; exit 1; }
find_controller
case ${1-} in
  --check) ;;
  --sweep) sweep ;;
  *) main "$@" ;;
esac
