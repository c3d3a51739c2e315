#!/usr/bin/env bash
# Tests of tracker/local.sh --secure. The "programs" are small bash scripts and so is ps_keygen.
# usage: local_secure_test.sh [name...]   runs the named tests, or all

source "$(dirname "${BASH_SOURCE[0]}")/launching.sh"

# A stand-in for ps_keygen on PATH; $keygen_path is a PATH that has it.
stand_in_keygen() {
  mkdir -p "$work/bin"
  printf '#!/usr/bin/env bash\nprintf secret >"$1/job.key"; printf public >"$1/job.pub"; echo made\n' >"$work/bin/ps_keygen"
  chmod +x "$work/bin/ps_keygen"
  mkdir -p "$work/tracker"
  cp "$local_sh" "$work/tracker/"
}
# Launches the copy that stands beside no build folder; temporary files go to $work/tmp.
launch_copy() {
  mkdir -p "$work/tmp"
  local local_sh=$work/tracker/local.sh
  PS_BUILD='' TMPDIR=$work/tmp PATH=$work/bin:$PATH launch "$@"
}

test_secure_gives_all_nodes_one_pair_that_goes_with_the_job() {
  stand_in_keygen
  program keys <<<'echo "$PS_CURVE_DIR $(stat -c %a "$PS_CURVE_DIR") $(cat "$PS_CURVE_DIR/job.key")"'
  launch_copy --no-prefix --secure 1 1 "$program"
  equal "$code" 0
  equal "$err" ""
  [[ $(sort -u <<<"$out") =~ ^"$work"/tmp/caravan-keys\.[^/\ ]*\ 700\ secret$ ]] || fail "keys '$out'"
  equal "$(ls "$work/tmp")" ""
  launch_copy --no-prefix --secure 0 1 "$work/broken_keys"
  equal "$code" 2
  equal "$(ls "$work/tmp")" ""
}

test_secure_takes_the_pair_that_is_set() {
  stand_in_keygen
  program keys <<<'echo "$PS_CURVE_DIR"'
  PS_CURVE_DIR=/my/keys launch_copy --no-prefix --secure 1 1 "$program"
  equal "$(sort -u <<<"$out")" /my/keys
  equal "$(ls "$work/tmp")" ""
  launch_copy --no-prefix 1 1 "$program"
  equal "$(sort -u <<<"$out")" ""
}

test_secure_without_ps_keygen_says_so() {
  stand_in_keygen
  rm "$work/bin/ps_keygen"
  program nothing <<<'exit 0'
  launch_copy --secure 0 1 "$program"
  equal "$code" 2
  contains "$err" "--secure needs ps_keygen"
  printf '#!/bin/false\n' >"$work/bin/ps_keygen"
  chmod +x "$work/bin/ps_keygen"
  launch_copy --secure 0 1 "$program"
  equal "$code" 1
  contains "$err" "can not make a key pair"
  equal "$(ls "$work/tmp")" ""
}

# end_secure_job SIGNAL: ends the launcher of a job that runs; its keys are to go too.
end_secure_job() {
  stand_in_keygen
  endless_program
  mkdir -p "$work/tmp"
  local job i
  set -m
  PS_BUILD='' TMPDIR=$work/tmp PATH=$work/bin:$PATH "$work/tracker/local.sh" --secure 1 1 "$program" "case_keys_$1" \
    >"$work/out" 2>"$work/err" &
  job=$!
  set +m
  wait_for_files "$work/ready.*" 3
  [[ -n $(ls "$work/tmp") ]] || fail "no keys"
  kill "-$1" "$job"
  wait "$job" 2>/dev/null
  nothing_left "case_keys_$1"
  for ((i = 0; i < 100; i++)); do
    [[ -z $(ls "$work/tmp") ]] && return
    read -r -t 0.05 <> <(:)
  done
  fail "left behind: $(ls "$work/tmp")"
}
test_ctrl_c_takes_the_keys_too() { end_secure_job INT; }
test_keys_do_not_outlive_a_killed_launcher() { end_secure_job KILL; }

run_tests "$@"
