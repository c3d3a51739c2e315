#!/bin/bash
# R13: a network that loses packets, is slow, and (where the kernel can) delays them. TCP repairs the loss; the runtime has
# to live with the pauses: nobody is given up, all sums are exact.
set -uo pipefail
source "$(dirname "$0")/network.sh"
enter_sandbox "$@"

settings=(PS_HEARTBEAT_TIMEOUT=20 PS_REQUEST_TIMEOUT=30 PS_RESEND_TIMEOUT=200 PS_CHUNK_BYTES=8192)

# limit NODE tc's words: the packets that a node sends.
limit() {
  local node=$1
  shift
  in_node "$node" tc qdisc replace dev eth0 root "$@" 2>"$work/error"
}
no_limits() {
  local node
  for node in "${nodes[@]}"; do in_node "$node" tc qdisc del dev eth0 root 2>/dev/null; done
}

packet_loss() {
  lose 10 || { echo "skipped: nft can not lose packets at random here"; return; }
  start_job "${settings[@]}" -- stream seconds 5 && end_job 60 0 && check_sums exact
  dropped=$(lost_packets)
  [ "$dropped" -gt 0 ] || fail "no packet was lost"
  heal
}

# Rounds of three pushes of 12 KB to each server, in chunks, under loss: the program itself checks the sums.
packet_loss_in_rounds() {
  lose 5 || return
  start_job "${settings[@]}" -- rounds 5 0
  end_job 60 0
  heal
}

# 1 MB from a node that sends 250 KB a second.
slow_link() {
  limit w1 tbf rate 2mbit burst 16kb latency 200ms || { echo "skipped: no tbf here: $(<"$work/error")"; return; }
  SECONDS=0
  start_job "${settings[@]}" -- rounds 15 0
  end_job 60 0
  [ "$SECONDS" -ge 3 ] || fail "the slow link had no effect: $SECONDS s"
  no_limits
}

delay() {
  limit w0 netem delay 20ms 10ms || { echo "skipped: no netem in this kernel: $(<"$work/error")"; return; }
  limit s1 netem delay 10ms
  start_job "${settings[@]}" -- stream seconds 4 && end_job 60 0 && check_sums exact
  no_limits
}

for scenario in packet_loss packet_loss_in_rounds slow_link delay; do
  [ $# -eq 0 ] || [ "$1" = "$scenario" ] || continue
  echo "== $scenario"
  $scenario
done
[ "$failed" -eq 0 ] || exit 1
echo "FIGURE R13 $total pushes over links with 10 % loss (${dropped:-0} packets): sums exact, nobody given up"
