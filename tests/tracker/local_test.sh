#!/usr/bin/env bash
# Tests of tracker/local.sh; how jobs end is in local_end_test.sh. The "programs" are small bash scripts, so nothing has to be built.
# usage: local_test.sh [name...]   runs the named tests, or all

source "$(dirname "${BASH_SOURCE[0]}")/launching.sh"

# ---- tests ----------------------------------------------------------------------------------------------

test_every_node_gets_role_rank_counts_and_address() {
  program show <<<'echo "$DMLC_ROLE:${DMLC_RANK-unset}:$DMLC_NUM_SERVER:$DMLC_NUM_WORKER:$DMLC_PS_ROOT_URI"'
  DMLC_RANK=7 launch --no-prefix 2 3 "$program"
  equal "$code" 0
  equal "$(sort <<<"$out")" "$(printf '%s\n' scheduler:unset:2:3:127.0.0.1 server:{0,1}:2:3:127.0.0.1 worker:{0,1,2}:2:3:127.0.0.1)"
}

test_joint_processes_are_server_and_worker_each() {
  program show <<<'echo "$DMLC_ROLE:${DMLC_RANK-unset}:$DMLC_NUM_SERVER:$DMLC_NUM_WORKER $*"'
  launch --no-prefix --joint 3 "$program" 1 2 x
  equal "$code" 0
  equal "$(sort <<<"$out")" "$(printf '%s\n' joint:{0,1,2}:"3:3 1 2 x" "scheduler:unset:3:3 1 2 x")"
  launch --joint 2 "$program"
  equal "$(sort <<<"$out")" "$(printf '[%s] %s:2:2 \n' H scheduler:unset J0 joint:0 J1 joint:1)"
  program fails <<<'[[ $DMLC_ROLE$DMLC_RANK == joint1 ]] && exit 3; read -r <> <(:)'
  launch --joint 2 "$program" case_joint
  equal "$code" 3
  contains "$err" "J1 exited with 3; stopping H, J0"
  nothing_left case_joint
}

test_arguments_arrive_as_they_were_given() {
  program args <<<'printf "<%s>" "$@"; echo'
  launch --no-prefix 0 1 "$program" "a  b" "" '*' -x --timeout 3 $'tab\there'
  equal "$code" 0
  contains "$out" $'<a  b><><*><-x><--timeout><3><tab\there>'
}

test_the_environment_keeps_a_given_port_and_address() {
  program port <<<'echo "$DMLC_PS_ROOT_URI $DMLC_PS_ROOT_PORT"'
  DMLC_PS_ROOT_PORT=12345 DMLC_PS_ROOT_URI=127.0.0.9 launch --no-prefix 1 0 "$program"
  equal "$(sort -u <<<"$out")" "127.0.0.9 12345"
}

test_a_port_is_chosen_that_nobody_listens_on() {
  program port <<<'echo "$DMLC_PS_ROOT_PORT"'
  launch --no-prefix 1 1 "$program"
  local port
  port=$(sort -u <<<"$out")
  [[ $port =~ ^[0-9]+$ ]] && ((port > 1023 && port < 65536)) || fail "not one port: '$port'"
  contains_not "$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null)" ":$(printf %04X "$port") "
}

test_nodes_share_a_random_job_token_unless_one_is_set() {
  program token <<<'echo "$PS_JOB_TOKEN"'
  launch --no-prefix 1 1 "$program"
  local first
  first=$(sort -u <<<"$out")
  [[ $first =~ ^[0-9a-f]{32}$ ]] || fail "token '$first'"
  launch --no-prefix 1 1 "$program"
  [[ $(sort -u <<<"$out") != "$first" ]] || fail "the same token twice"
  PS_JOB_TOKEN=mine launch --no-prefix 1 1 "$program"
  equal "$(sort -u <<<"$out")" mine
}

test_env_option_reaches_every_node() {
  program env <<<'echo "$COLOUR/$order"'
  launch --no-prefix --env COLOUR='dark blue' --env order=x 1 1 "$program"
  equal "$(sort -u <<<"$out")" "dark blue/x"
}

test_each_line_says_who_speaks() {
  program lines <<<'printf "one\ntwo"; echo problem >&2'
  launch 1 1 "$program"
  equal "$code" 0
  equal "$(sort <<<"$out")" "$(printf '[%s] %s\n' H one H two S0 one S0 two W0 one W0 two)"
  equal "$(sort <<<"$err")" "$(printf '[%s] problem\n' H S0 W0)"
}

test_the_prefix_can_be_switched_off_and_output_is_then_raw() {
  program raw <<<'printf "10%%\r20%%\rno newline"'
  launch --no-prefix 0 1 "$program"
  equal "$out" $'10%\r20%\rno newline10%\r20%\rno newline'
  PS_TRACKER_PREFIX=0 launch 0 1 "$program"
  contains_not "$out" "[W0]"
}

test_long_lines_of_many_nodes_stay_whole() {
  program long <<'EOF'
line=$(printf "%0.s$DMLC_ROLE$DMLC_RANK," {1..2000})
for i in {1..10}; do echo "$line"; echo "$line" >&2; done
EOF
  "$local_sh" 2 2 "$program" 2>&1 | cat >"$work/both"
  equal "$(wc -l <"$work/both")" 100
  # Whole lines are ten or twenty times the same five.
  equal "$(sort "$work/both" | uniq -c | awk '{print $1}' | sort | uniq -c | tr -s ' ')" " 5 20"
}

# More than the launcher's pipe holds, to a reader that begins when the nodes have long ended: a busy machine, or a
# pager.
test_a_reader_that_comes_late_loses_nothing() {
  program much <<'EOF'
line=$(printf "%0.s$DMLC_ROLE$DMLC_RANK," {1..2000})
for i in {1..3}; do echo "$line"; done
printf unfinished
EOF
  "$local_sh" 1 2 "$program" | { read -r -t 4 <> <(:); cat; } >"$work/late"
  equal "$(wc -l <"$work/late")" 16
  equal "$(grep -c 'unfinished$' "$work/late")" 4
}

# A process that moved to a session of its own holds the output open.
test_output_that_is_held_open_is_not_waited_for() {
  program holder <<EOF
setsid sleep 30 &
echo \$! >>$work/holders
printf 'the last words'
EOF
  rm -f "$work/holders"
  local start=$SECONDS
  launch 0 1 "$program"
  equal "$code" 0
  equal "$(sort <<<"$out")" $'[H] the last words\n[W0] the last words'
  within "$start" 20
  xargs -r kill <"$work/holders"
}

test_many_short_lines_lose_nothing() {
  program many <<<'for ((i = 0; i < 500; i++)); do echo "$i"; done'
  launch 2 2 "$program"
  equal "$(sort -u <<<"$out" | wc -l)" 2500
}

test_jobs_side_by_side_take_different_ports() {
  program port <<<'echo "$DMLC_PS_ROOT_PORT"; read -r -t 0.3 <> <(:); exit 0'
  local i jobs=()
  for i in 1 2 3 4; do
    "$local_sh" --no-prefix 0 1 "$program" >"$work/port.$i" &
    jobs+=($!)
  done
  wait "${jobs[@]}"
  equal "$(sort -u "$work"/port.? | wc -l)" 4
}

test_it_works_from_another_directory_and_finds_programs_in_path() {
  program on_path <<<'pwd'
  out=$(cd / && PATH="$work:$PATH" "$local_sh" --no-prefix 0 1 on_path)
  equal "$(sort -u <<<"$out")" /
  cd "$work" && launch 0 1 on_path
  cd - >/dev/null
  equal "$code" 2
  contains "$err" "no program 'on_path' in PATH (a file here is ./on_path)"
}

test_wrong_arguments_are_named() {
  program fine <<<'exit 0'
  local row
  while IFS='|' read -r row text; do
    eval "launch $row"
    equal "$code" 2
    contains "$err" "$text"
  done <<'EOF'
|wants num_servers, num_workers and a program
1 1|wants num_servers, num_workers and a program
two 1 "$program"|num_servers must be a number from 0 to 65535, not 'two'
1 -1 "$program"|num_workers must be a number from 0 to 65535, not '-1'
1 65536 "$program"|num_workers must be a number from 0 to 65535, not '65536'
0 0 "$program"|at least one server or worker
1 1 ./nothing_here|there is no program './nothing_here'
1 1 /|'/' is not an executable file
1 1 /etc/passwd|'/etc/passwd' is not an executable file
--fast 1 1 "$program"|there is no option --fast
--timeout soon 1 1 "$program"|--timeout wants seconds, not 'soon'
--env 5x=1 1 1 "$program"|--env wants NAME=VALUE
--timeout|--timeout wants a value
--joint two "$program"|--joint must be a number from 0 to 65535, not 'two'
--joint 0 "$program"|at least one server or worker
--joint 2|--joint 2 wants a program
--joint|--joint wants a value
EOF
  DMLC_PS_ROOT_PORT=99999 launch 1 1 "$program"
  equal "$code" 2
  contains "$err" "DMLC_PS_ROOT_PORT='99999' is not a port"
}

test_help_and_verbose_tell() {
  program fine <<<'exit 0'
  launch --help
  equal "$code" 0
  contains "$out" "usage: local.sh"
  launch --verbose 1 1 "$program"
  contains "$err" "scheduler at 127.0.0.1:"
  contains "$err" "W0 exited with 0"
}

run_tests "$@"
