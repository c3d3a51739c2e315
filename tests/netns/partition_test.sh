#!/bin/bash
# R13: links between nodes are cut, one way or both, for shorter and for longer than the deadlines. No push that was
# acknowledged is lost, none is applied twice, every call ends within its deadline and names who could not be reached.
set -uo pipefail
source "$(dirname "$0")/network.sh"
enter_sandbox "$@"

# Nobody is given up, and nothing is.
patient=(PS_HEARTBEAT_TIMEOUT=20 PS_REQUEST_TIMEOUT=20 PS_RESEND_TIMEOUT=200)
slowest=0
note_slowest() { [ "$longest_ms" -le "$slowest" ] || slowest=$longest_ms; }

short_cut() {
  start_job "${patient[@]}" -- stream seconds 3 || return
  cut w0 s0
  pause 1.5
  heal
  end_job 30 0
  check_sums exact
  was_held_up 1000
}

# A request that is not acknowledged fails at its deadline; perhaps it was applied, at most once.
long_cut() {
  start_job "${patient[@]}" PS_REQUEST_TIMEOUT=1 -- stream seconds 7 || return
  cut w0 s0
  prints w0 'lost one' 5
  heal
  end_job 30 0
  check_sums
  says w0 'server 0: .*DeadlineExceeded: server 0 (id 8, 10.9.0.2:.*PS_REQUEST_TIMEOUT'
  calls_end_within 2000
  note_slowest
}

one_way() {
  start_job "${patient[@]}" -- stream seconds 4 || return
  cut_one_way w0 s0
  pause 1
  heal
  cut_one_way s0 w0
  pause 1
  heal
  end_job 30 0
  check_sums exact
  was_held_up 700
}

flapping() {
  local i
  start_job "${patient[@]}" -- stream seconds 5 || return
  for i in 1 2 3 4 5 6 7 8; do
    unplug s1
    pause 0.15
    plug s1
    pause 0.15
  done
  end_job 30 0
  check_sums exact
  was_held_up 100
}

short_scheduler_cut() {
  start_job "${patient[@]}" PS_HEARTBEAT_TIMEOUT=4 -- stream seconds 4 || return
  cut h w0
  cut h s1
  pause 1.5
  heal
  end_job 30 0
  check_sums exact
}

# The scheduler gives worker 0 up, and worker 0 the scheduler; the servers fence it, and tell it so: everything it has asked
# for ends then, not with PS_REQUEST_TIMEOUT or PS_BARRIER_TIMEOUT.
long_scheduler_cut() {
  start_job "${patient[@]}" PS_HEARTBEAT_TIMEOUT=1.5 PS_REQUEST_TIMEOUT=20 PS_BARRIER_TIMEOUT=600 PS_RESEND_TIMEOUT=500 -- \
    stream seconds 4 || return
  cut h w0
  end_job 30 1
  check_sums
  says h 'Unavailable: worker 0 (id 9, 10.9.0.4:.*is lost'
  says s0 'Unavailable: worker 0 (id 9, 10.9.0.4:.*is lost'
  says w1 'barrier: Unavailable: worker 0 (id 9, 10.9.0.4:.*is lost'
  says w0 'WARNING W\[9\]: the scheduler at 10.9.0.1:9100 is lost'
  says w0 'server 0: .*Unavailable: worker 0 (id 9, 10.9.0.4:.*is lost: silent for .*; said by server [01] (id '
  says w0 'barrier: Unavailable: worker 0 (id 9, 10.9.0.4:.*is lost: silent for .*; said by server [01] (id '
  calls_end_within 2000
  heal
}

for scenario in short_cut long_cut one_way flapping short_scheduler_cut long_scheduler_cut; do
  [ $# -eq 0 ] || [ "$1" = "$scenario" ] || continue
  echo "== $scenario"
  $scenario
done
[ "$failed" -eq 0 ] || exit 1
echo "FIGURE R13 $total pushes acknowledged under cuts: none lost, none doubled; what could not be delivered failed after" \
  "at most $slowest ms (deadline 1000)"
