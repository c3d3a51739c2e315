#!/usr/bin/env bash
# Tests of how jobs of tracker/local.sh end: exit codes, signals, deadlines.
# usage: local_end_test.sh [name...]   runs the named tests, or all

source "$(dirname "${BASH_SOURCE[0]}")/launching.sh"

test_the_exit_code_is_that_of_the_first_failure() {
  program fails <<EOF
[[ \$DMLC_ROLE\${DMLC_RANK-} == worker1 ]] && exit 3
trap 'exit 9' TERM
read -r <> <(:)
EOF
  local start=$SECONDS
  launch 2 2 "$program" case_exit_3
  equal "$code" 3
  contains "$err" "local.sh: W1 exited with 3; stopping H, S0, S1, W0"
  within "$start" 20
  nothing_left case_exit_3
}

test_a_failing_scheduler_fails_the_job() {
  program fails <<<'[[ $DMLC_ROLE == scheduler ]] && exit 4; read -r <> <(:)'
  launch 1 1 "$program" case_scheduler
  equal "$code" 4
  contains "$err" "H exited with 4"
  nothing_left case_scheduler
}

test_a_scheduler_that_ends_well_does_not_end_the_job() {
  program early <<EOF
if [[ \$DMLC_ROLE == scheduler ]]; then touch $work/scheduler.gone; exit 0; fi
while [[ ! -e $work/scheduler.gone ]]; do read -r -t 0.02 <> <(:); done
read -r -t 0.2 <> <(:)
echo "end of \$DMLC_ROLE"
EOF
  launch 1 1 "$program"
  equal "$code" 0
  contains "$out" "[S0] end of server"
  contains "$out" "[W0] end of worker"
}

test_death_by_signal_is_128_plus_the_signal() {
  program killed <<<'[[ $DMLC_ROLE == server ]] && kill -SEGV $$; [[ $DMLC_ROLE == server ]] || read -r <> <(:)'
  launch 1 1 "$program" case_signal
  equal "$code" 139
  contains "$err" "S0 was ended by signal 11 (SEGV)"
  contains_not "$err" "line "
  nothing_left case_signal
}

test_who_ignores_term_is_killed_after_the_grace_time() {
  rm -f "$work"/ready.*
  program stubborn <<EOF
if [[ \$DMLC_ROLE == worker ]]; then
  until [[ -e $work/ready.server && -e $work/ready.scheduler ]]; do read -r -t 0.02 <> <(:); done
  exit 5
fi
trap "" TERM
touch $work/ready.\$DMLC_ROLE
while :; do read -r -t 1 <> <(:); done
EOF
  local start=$SECONDS
  launch --grace 0.3 1 1 "$program" case_stubborn
  equal "$code" 5
  contains "$err" "killing H, S0, still there after TERM"
  contains_not "$err" "Killed"
  within "$start" 20
  nothing_left case_stubborn
}

test_children_of_nodes_end_with_them() {
  program parent <<'EOF'
bash -c 'trap "" TERM; while :; do read -r -t 1 <> <(:); done' child "$@" >/dev/null 2>&1 &
exit 0
EOF
  launch 1 1 "$program" case_children
  equal "$code" 0
  nothing_left case_children
}

test_a_program_that_cannot_be_run_fails_the_job() {
  printf '#!/nonexistent/interpreter\n' >"$work/broken"
  chmod +x "$work/broken"
  launch 1 1 "$work/broken"
  ((code == 126 || code == 127)) || fail "exit code $code"
}

test_the_deadline_names_who_still_runs() {
  program hangs <<<'[[ $DMLC_ROLE == worker ]] && exit 0; read -r <> <(:)'
  local start=$SECONDS
  launch --timeout 0.7 2 1 "$program" case_deadline
  equal "$code" 124
  contains "$err" "still running after 0.7 s: H, S0, S1"
  within "$start" 20
  nothing_left case_deadline
}

test_a_job_within_its_deadline_is_not_disturbed() {
  program quick <<<'exit 0'
  launch --timeout 60 1 1 "$program"
  equal "$code" 0
  equal "$err" ""
}

# signal_ends_job SIGNAL EXIT_CODE: sends it to the launcher alone, as a terminal would.
signal_ends_job() {
  endless_program
  local job start=$SECONDS
  set -m
  "$local_sh" 1 2 "$program" "case_signal_$1" >"$work/out" 2>"$work/err" &
  job=$!
  set +m
  wait_for_files "$work/ready.*" 4
  kill "-$1" "$job"
  wait "$job"
  equal $? "$2"
  nothing_left "case_signal_$1"
  within "$start" 40
}
test_ctrl_c_leaves_nothing_behind() { signal_ends_job INT 130; }
test_term_leaves_nothing_behind() { signal_ends_job TERM 143; }
test_hangup_leaves_nothing_behind() { signal_ends_job HUP 129; }

test_nothing_outlives_a_killed_launcher() {
  endless_program
  local job
  "$local_sh" 1 1 "$program" case_orphans >/dev/null 2>&1 &
  job=$!
  wait_for_files "$work/ready.*" 3
  kill -KILL "$job"
  wait "$job" 2>/dev/null
  nothing_left case_orphans
}

test_two_interrupts_do_not_wait_for_the_grace_time() {
  rm -f "$work"/ready.*
  program stubborn <<EOF
trap "" TERM
touch $work/ready.\$DMLC_ROLE
while :; do read -r -t 1 <> <(:); done
EOF
  local job start=$SECONDS
  set -m
  "$local_sh" --grace 60 1 1 "$program" case_twice >"$work/out" 2>"$work/err" &
  job=$!
  set +m
  wait_for_files "$work/ready.*" 3
  kill -INT "$job"
  until [[ $(<"$work/err") == *interrupted* ]]; do read -r -t 0.05 <> <(:); done
  kill -INT "$job"
  wait "$job"
  equal $? 130
  within "$start" 20
  nothing_left case_twice
}

run_tests "$@"
