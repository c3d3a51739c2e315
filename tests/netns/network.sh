# A network of this machine's own making, for tests that cut it. To be sourced by a script that calls enter_sandbox first:
# the script then runs again in network, mount and process namespaces of its own, and whatever it makes or starts there
# is gone when it ends, however it ends. Nothing outside is touched.
#
#   nodes (network namespaces)  --veth--  bridge br0
#
# shellcheck shell=bash

PATH=$PATH:/usr/sbin:/sbin  # where ip, nft and tc are
nodes=(h s0 s1 w0 w1)
declare -A address=([h]=10.9.0.1 [s0]=10.9.0.2 [s1]=10.9.0.3 [w0]=10.9.0.4 [w1]=10.9.0.5)
declare -A pid=()
trainer=${PS_BUILD:-build}/process/trainer
scale=${PS_TEST_TIME_SCALE:-1}
failed=0

skip() { echo "skipped: $1"; exit 77; }
fail() { echo "FAILED: $1"; failed=1; }
# pause SECONDS: nothing runs.
pause() { read -r -t "$1" <> <(:) || true; }

enter_sandbox() {
  [ -x "$trainer" ] || { echo "$trainer is missing"; exit 1; }
  if [ -z "${NETNS_SANDBOX:-}" ]; then
    local tool user=()
    for tool in unshare ip nft; do
      command -v "$tool" >/dev/null || skip "$tool is not installed"
    done
    [ "$(id -u)" -eq 0 ] || user=(--user --map-root-user)
    unshare "${user[@]}" --net --mount --pid --fork true 2>/dev/null || skip "namespaces are not allowed here"
    exec unshare "${user[@]}" --net --mount --pid --fork --kill-child --mount-proc env NETNS_SANDBOX=1 "$0" "$@"
  fi
  mount -t tmpfs none /run || skip "nothing can be mounted here"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  make_network
}

make_network() {
  ip link set lo up
  ip link add br0 type bridge 2>"$work/error" || skip "no bridges here: $(<"$work/error")"
  ip link set br0 up
  local node
  for node in "${nodes[@]}"; do
    ip netns add "$node" || skip "no named network namespaces here"
    ip link add "to-$node" type veth peer name eth0 netns "$node" || skip "no veth pairs here"
    ip link set "to-$node" master br0 up
    in_node "$node" ip addr add "${address[$node]}/24" dev eth0
    in_node "$node" ip link set eth0 up
    in_node "$node" ip link set lo up
    in_node "$node" nft add table inet cut || skip "nft does not work here"
    in_node "$node" nft add chain inet cut in '{ type filter hook input priority 0; policy accept; }' ||
      skip "nft has no input hook here"
  done
}

in_node() { ip netns exec "$@"; }

# --- faults ---

# cut_one_way FROM TO: nothing that FROM sends reaches TO.
cut_one_way() { in_node "$2" nft add rule inet cut in ip saddr "${address[$1]}" drop; }
cut() { cut_one_way "$1" "$2"; cut_one_way "$2" "$1"; }
# lose PERCENT: every node loses so many of the packets that reach it.
lose() {
  local node
  for node in "${nodes[@]}"; do
    in_node "$node" nft add rule inet cut in iifname eth0 numgen random mod 100 \< "$1" counter drop ||
      return 1
  done
}
heal() {
  local node
  for node in "${nodes[@]}"; do in_node "$node" nft flush chain inet cut in; done
}
# How many packets `lose` has dropped since the last `heal`.
lost_packets() {
  local node
  for node in "${nodes[@]}"; do in_node "$node" nft list chain inet cut in; done |
    awk '/numgen/ { for (i = 1; i < NF; ++i) if ($i == "packets") sum += $(i + 1) } END { print sum + 0 }'
}
unplug() { ip link set "to-$1" down; }
plug() { ip link set "to-$1" up; }

# --- the job: scheduler h, servers s0 and s1, workers w0 and w1 ---

# start_job VARIABLE=VALUE... -- ARGUMENTS of process/trainer: returns when all have started.
start_job() {
  local variables=() node role
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  pid=()
  for node in "${nodes[@]}"; do
    case $node in h) role=scheduler ;; s?) role=server ;; w?) role=worker ;; esac
    local rank=()
    [ "$node" = h ] || rank=(DMLC_RANK="${node:1}")
    in_node "$node" env DMLC_ROLE=$role DMLC_NUM_SERVER=2 DMLC_NUM_WORKER=2 DMLC_PS_ROOT_URI="${address[h]}" \
      DMLC_PS_ROOT_PORT=9100 PS_HEARTBEAT_INTERVAL=0.2 "${rank[@]}" "${variables[@]}" \
      "$trainer" "$@" >"$work/$node.log" 2>&1 &
    pid[$node]=$!
  done
  prints w0 started 20 && prints w1 started 20
}

# prints NODE TEXT SECONDS
prints() {
  local i
  for ((i = 0; i < $3 * 20 * scale; i++)); do
    grep -q -- "$2" "$work/$1.log" && return 0
    pause 0.05
  done
  fail "$1 does not print '$2' within $3 s"
  show "$1"
  return 1
}

show() { sed "s/^/  [$1] /" "$work/$1.log" | tail -20; }

# end_job SECONDS CODE [NODE...]: all nodes, or these, end in time with this code. 0 or 1: with either of them.
end_job() {
  local limit=$1 code=$2 node i ended
  shift 2
  [ $# -gt 0 ] || set -- "${nodes[@]}"
  for node in "$@"; do
    for ((i = 0; i < limit * 20 * scale; i++)); do
      kill -0 "${pid[$node]}" 2>/dev/null || break
      pause 0.05
    done
    if kill -0 "${pid[$node]}" 2>/dev/null; then
      fail "$node still runs after $limit s"
      show "$node"
      kill -9 "${pid[$node]}"
      continue
    fi
    wait "${pid[$node]}"
    ended=$?
    if [ "$ended" -ne "$code" ]; then
      fail "$node ended with $ended instead of $code"
      show "$node"
    fi
  done
}

# --- what it did ---

total=0       # pushes acknowledged in the whole script
longest_ms=0  # from a push until its outcome was known, in the last job

# number TEXT FILE: the first whole number behind TEXT.
number() { sed -n "/.*$1\([0-9][0-9]*\).*/{s//\1/p;q}" "$2"; }

# check_sums [exact]: each server applied each push once that was acknowledged, and at most once each that failed. With
# `exact` none may have failed.
check_sums() {
  local worker server line acked lost has
  longest_ms=0
  for worker in 0 1; do
    for server in 0 1; do
      line=$(grep "^server $server: " "$work/w$worker.log")
      printf '%s\n' "$line" >"$work/line"
      acked=$(number 'acknowledged ' "$work/line")
      lost=$(number 'failed ' "$work/line")
      has=$(number "worker $worker has " "$work/s$server.log")
      if [ -z "$acked" ] || [ -z "$has" ]; then
        fail "no sums of worker $worker at server $server"
        show "w$worker"
        show "s$server"
        continue
      fi
      total=$((total + acked))
      [ "$has" -ge "$acked" ] || fail "worker $worker: $acked acknowledged by server $server, which has $has: lost"
      [ "$has" -le $((acked + lost)) ] ||
        fail "worker $worker: $acked acknowledged and $lost failed at server $server, which has $has: doubled"
      [ "${1:-}" != exact ] || [ "$lost" -eq 0 ] || fail "$lost pushes of worker $worker to server $server failed: $line"
    done
    for line in $(sed -n 's/^longest_ms=\([0-9]*\).*/\1/p' "$work/w$worker.log"); do
      [ "$line" -le "$longest_ms" ] || longest_ms=$line
    done
  done
}

# calls_end_within MS: every push of the last job was done, or had failed, in that time.
calls_end_within() {
  [ "$longest_ms" -le $(($1 * scale)) ] || fail "a push took $longest_ms ms to end, more than $1"
}

# was_held_up MS: some push of the last job took at least so long. Without it the fault had no effect.
was_held_up() {
  [ "$longest_ms" -ge "$1" ] || fail "no push was held up for $1 ms: the longest took $longest_ms ms"
}

# says NODE TEXT
says() {
  grep -q -- "$2" "$work/$1.log" && return
  fail "$1 does not say '$2'"
  show "$1"
}
