#!/bin/bash
# What sending by priority and in slices is worth: iterations per second of a network like VGG-19 (parameters scaled by
# 1/16, computing simulated) over a link of 1 Gbit/s each way, against first-in-first-out without slices, in turns. The link
# is made here, in namespaces of its own: a scheduler and a server on one side, a worker on the other. Exit code 77: no
# namespaces or no tc.
set -uo pipefail
PATH=$PATH:/usr/sbin:/sbin
program=${PS_BUILD:-build}/bench/p3
pairs=${P3_PAIRS:-3}
iterations=${P3_ITERATIONS:-6}
rate=${P3_RATE:-1gbit}

skip() { echo "skipped: $1"; exit 77; }

if [ -z "${NETNS_SANDBOX:-}" ]; then
  for tool in unshare ip tc; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
  user=()
  [ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
  unshare "${user[@]}" --net --mount --pid --fork true 2>/dev/null || skip "namespaces are not allowed here"
  exec unshare "${user[@]}" --net --mount --pid --fork --kill-child --mount-proc env NETNS_SANDBOX=1 "$0"
fi

mount -t tmpfs none /run || skip "nothing can be mounted here"
ip link set lo up
ip netns add w || skip "no named network namespaces here"
ip link add to-w type veth peer name eth0 netns w || skip "no veth pairs here"
ip addr add 10.9.0.1/24 dev to-w
ip link set to-w up
in_w() { ip netns exec w "$@"; }
in_w ip addr add 10.9.0.2/24 dev eth0
in_w ip link set eth0 up
in_w ip link set lo up
limit=(root tbf rate "$rate" burst 256kb latency 20ms)
{ tc qdisc replace dev to-w "${limit[@]}" && in_w tc qdisc replace dev eth0 "${limit[@]}"; } 2>/dev/null || skip "no tbf here"

# once HOW: prints iterations per second.
once() {
  local common=(DMLC_NUM_SERVER=1 DMLC_NUM_WORKER=1 DMLC_PS_ROOT_URI=10.9.0.1 DMLC_PS_ROOT_PORT=9100 DMLC_PS_VAN_TYPE=zmq)
  env "${common[@]}" DMLC_ROLE=scheduler "$program" "$1" 0 &
  env "${common[@]}" DMLC_ROLE=server "$program" "$1" 0 &
  in_w env "${common[@]}" DMLC_ROLE=worker "$program" "$1" "$iterations" || return
  wait
}

ratios=()
for ((i = 0; i < pairs; i++)); do
  fifo=$(once fifo) && slices=$(once slices) && priority=$(once priority) || { echo "a run failed"; exit 1; }
  ratios+=("$(awk -v a="$priority" -v b="$fifo" 'BEGIN { printf "%.2f", a / b }')")
  echo "iterations/s: fifo $fifo, fifo in slices $slices, by priority $priority; priority / fifo ${ratios[-1]}"
done
median=$(printf '%s\n' "${ratios[@]}" | sort -n | sed -n "$(((pairs + 1) / 2))p")
echo "P3: by priority and in slices / first-in-first-out: $median (bar 1.40), load $(cut -d' ' -f1 /proc/loadavg)"
