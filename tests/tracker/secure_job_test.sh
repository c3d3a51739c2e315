#!/usr/bin/env bash
# A real job under local.sh --secure: exact sums, and no keys are left. What others do without them is in
# tests/process/curve_test.cc.
set -uo pipefail
[[ ${PS_SAN-} != thread ]] || exit 77 # ZeroMQ is not instrumented
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
unset PS_CURVE_DIR PS_JOB_TOKEN
failed=0
fail() { echo "line ${BASH_LINENO[0]}: $1" >&2; failed=1; }

# run_job: an exact job of 1 scheduler, 2 servers, 2 workers with --secure.
run_job() {
  TMPDIR=$work/tmp "$PS_ROOT/tracker/local.sh" --timeout 60 --secure "$@" 2 2 "$PS_BUILD/compat/kv_app" >"$work/log" 2>&1 ||
    { fail "exit code $?"; cat "$work/log" >&2; }
  [[ $(grep -c 'error: 0, 0' "$work/log") == 2 ]] || { fail "sums are not exact"; cat "$work/log" >&2; }
  [[ -z $(ls "$work/tmp") ]] || fail "left behind: $(ls "$work/tmp")"
}

run_job
"$PS_BUILD/bin/ps_keygen" "$work/keys" >/dev/null || fail "ps_keygen failed"
before=$(cat "$work/keys"/*)
PS_CURVE_DIR=$work/keys run_job
[[ $(cat "$work/keys"/*) == "$before" ]] || fail "the pair that was set has changed"

# The job is encrypted indeed: a node that has another pair does not find it.
"$PS_BUILD/bin/ps_keygen" "$work/others" >/dev/null || fail "ps_keygen failed"
cat >"$work/mixed" <<END
#!/usr/bin/env bash
[[ \$DMLC_ROLE == worker ]] && export PS_CURVE_DIR=$work/others PS_START_TIMEOUT=1
exec "$PS_BUILD/compat/kv_app"
END
chmod +x "$work/mixed"
if PS_CURVE_DIR=$work/keys "$PS_ROOT/tracker/local.sh" --timeout 30 --secure 1 1 "$work/mixed" >"$work/log" 2>&1; then
  fail "a job with two pairs came up"
fi
grep -q PS_CURVE_DIR "$work/log" || { fail "PS_CURVE_DIR is not named"; cat "$work/log" >&2; }
exit "$failed"
