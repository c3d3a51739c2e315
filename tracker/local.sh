#!/usr/bin/env bash
# Runs a whole job on this machine: one scheduler, servers and workers, each a process of its own.
# See tracker/README.md. Needs bash 5.1 and coreutils, nothing else.
#
# How it is built: every node is started in a process group of its own by a small wrapper, which reports
# the node's exit code. Exit codes and signals all arrive as lines of one pipe, `events`; one loop reads it,
# and the timeout of that read is the only clock. So nothing polls and nothing races.

me=${0##*/} # ps_local, where it is installed

usage() {
  local text
  IFS= read -r -d '' text <<'EOF'
usage: local.sh [options] num_servers num_workers bin [args...]
       local.sh [options] --joint num_processes bin [args...]

Starts 1 scheduler, num_servers servers and num_workers workers of `bin args...` on this machine and waits
until all have ended. The first that fails stops the rest; its exit code is the exit code of the job. With
--joint 1 scheduler and num_processes processes that are a server and a worker each (DMLC_ROLE=joint), for
programs that can be both, as those of ps/multiverso.h.

options (before num_servers):
  --joint NUMBER      so many processes of both roles, instead of num_servers and num_workers
  --timeout SECONDS   end the job when it takes longer (exit code 124)          [none]
  --grace SECONDS     time between TERM and KILL when the job is stopped         [2]
  --env NAME=VALUE    set a variable for every node; may be repeated
  --secure            encrypt, with a key pair for this job alone, or that of PS_CURVE_DIR
  --no-prefix         hand the output through as it is, without "[W0] " per line
  --verbose           say what is started, with which port, and when it ended
  -h, --help          this text

variables:
  DMLC_PS_ROOT_URI    address of the scheduler                                   [127.0.0.1]
  DMLC_PS_ROOT_PORT   port of the scheduler                                      [a free one]
  PS_JOB_TOKEN        secret of the job                                          [random]
  PS_CURVE_DIR        directory with a key pair, see ps_keygen                   [none]
  PS_TRACKER_PREFIX   0 is the same as --no-prefix                               [1]

exit code: 0 when every node ended with 0; else that of the first that did not (128 + n when signal n ended
it); 124 after --timeout; 130, 143, 129 when interrupted by INT, TERM, HUP; 2 when the arguments are wrong.
EOF
  printf '%s' "${text//local.sh/"$me"}"
}

usage_error() {
  printf '%s: %s\n' "$me" "$1" "$me" "try $me --help" >&2
  exit 2
}

say() { printf '%s: %s\n' "$me" "$1" >&2; }

# ---- arguments ------------------------------------------------------------------------------------------

timeout_ms=0
timeout_text=
grace_ms=2000
prefix=${PS_TRACKER_PREFIX:-1}
verbose=0
secure=0
joint=
node_env=()

# Seconds, whole or with a decimal point, to milliseconds: the result is in $REPLY.
parse_seconds() {
  [[ $2 =~ ^([0-9]{1,7})(\.([0-9]{1,3})[0-9]*)?$ ]] || usage_error "$1 wants seconds, not '$2'"
  local fraction=${BASH_REMATCH[3]}000
  REPLY=$((10#${BASH_REMATCH[1]} * 1000 + 10#${fraction:0:3}))
}

parse_count() {
  [[ $2 =~ ^[0-9]{1,5}$ ]] && ((10#$2 <= 65535)) || usage_error "$1 must be a number from 0 to 65535, not '$2'"
  REPLY=$((10#$2))
}

# Consumes the options; the number of words they took is in $REPLY.
parse_options() {
  local words=$#
  while [[ ${1-} == -* ]]; do
    case $1 in
      -h | --help) usage; exit 0 ;;
      --no-prefix) prefix=0 ;;
      --verbose) verbose=1 ;;
      --secure) secure=1 ;;
      --timeout | --grace | --env | --joint)
        (($# >= 2)) || usage_error "$1 wants a value"
        parse_valued_option "$1" "$2"
        shift ;;
      --) shift; break ;;
      *) usage_error "there is no option $1" ;;
    esac
    shift
  done
  REPLY=$((words - $#))
}

parse_valued_option() {
  case $1 in
    --timeout) parse_seconds "$1" "$2"; timeout_ms=$REPLY; timeout_text=$2 ;;
    --grace) parse_seconds "$1" "$2"; grace_ms=$REPLY ;;
    --joint) parse_count "$1" "$2"; joint=$REPLY ;;
    --env)
      [[ $2 =~ ^[A-Za-z_][A-Za-z0-9_]*= ]] || usage_error "--env wants NAME=VALUE, not '$2'"
      node_env+=("$2") ;;
  esac
}

# The program as a path: a name without a slash is looked for in PATH.
find_program() {
  local path=$1
  [[ $path == */* ]] || path=$(type -P -- "$1") || usage_error "no program '$1' in PATH (a file here is ./$1)"
  [[ -e $path ]] || usage_error "there is no program '$path'"
  [[ -f $path && -x $path ]] || usage_error "'$path' is not an executable file"
  REPLY=$path
}

# ---- the scheduler's port -------------------------------------------------------------------------------

# Chooses a port nobody on this machine uses, into $REPLY. It lies outside the range from which the system
# hands out ports by itself, so that no connection can take it before the scheduler binds it; where the
# search begins depends on the process id, so that jobs started together do not choose the same one.
choose_port() {
  local low=32768 high=60999 first=10000 span used="" port i
  [[ -r /proc/sys/net/ipv4/ip_local_port_range ]] && read -r low high </proc/sys/net/ipv4/ip_local_port_range
  span=$((low - first))
  ((span >= 1000)) || { first=$((high + 1)); span=$((65536 - first)); }
  ((span >= 100)) || { first=10000; span=50000; }
  [[ -r /proc/net/tcp ]] && used+=$(</proc/net/tcp)
  [[ -r /proc/net/tcp6 ]] && used+=$(</proc/net/tcp6)
  for ((i = 0; i < span; i++)); do
    port=$((first + ($$ * 37 + i * 101) % span))
    [[ $used == *":$(printf %04X "$port") "* ]] || { REPLY=$port; return; }
  done
  say "no free port between $first and $((first + span - 1)): set DMLC_PS_ROOT_PORT"
  exit 1
}

choose_address() {
  export DMLC_PS_ROOT_URI=${DMLC_PS_ROOT_URI:-127.0.0.1}
  if [[ -z ${DMLC_PS_ROOT_PORT-} ]]; then
    choose_port
    DMLC_PS_ROOT_PORT=$REPLY
  fi
  [[ $DMLC_PS_ROOT_PORT =~ ^[0-9]{1,5}$ ]] && ((10#$DMLC_PS_ROOT_PORT >= 1 && 10#$DMLC_PS_ROOT_PORT <= 65535)) ||
    usage_error "DMLC_PS_ROOT_PORT='$DMLC_PS_ROOT_PORT' is not a port: use 1 to 65535"
  export DMLC_PS_ROOT_PORT
}

# ---- keys -----------------------------------------------------------------------------------------------

keys= # directory of this job's own pair, which goes with the job

# The program that makes a pair, into $REPLY: the one built here, else the one that is installed beside this, or
# anywhere.
find_keygen() {
  local here
  here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
  for REPLY in "${PS_BUILD:+$PS_BUILD/bin/ps_keygen}" "$here/../build/bin/ps_keygen" "$here/ps_keygen" "$(type -P ps_keygen)"; do
    [[ -n $REPLY && -x $REPLY ]] && return
  done
  usage_error "--secure needs ps_keygen: run make, or put it on PATH"
}

remove_keys() { [[ -z $keys ]] || rm -rf -- "$keys"; }

choose_keys() {
  [[ -z ${PS_CURVE_DIR-} ]] || return
  find_keygen
  local keygen=$REPLY
  trap remove_keys EXIT # of this shell; subshells do not inherit it
  keys=$(mktemp -d "${TMPDIR:-/tmp}/caravan-keys.XXXXXX") && "$keygen" "$keys" >/dev/null ||
    { say "can not make a key pair"; exit 1; }
  export PS_CURVE_DIR=$keys
}

# ---- output ---------------------------------------------------------------------------------------------

# Copies lines from stdin to stdout, each behind $1. A line is written while holding the one byte in the
# pipe `pen`, so lines of any length stay whole. Lives until its node and all its children are gone, or until
# `last_words` comes; a reader that went away must not stop it, or the node would block on a full pipe.
prefix_lines() {
  local line is_last= LC_ALL=C
  trap '' INT TERM HUP PIPE
  exec {events}>&-
  while [[ -z $is_last ]] && { IFS= read -r line || [[ -n $line ]]; }; do
    [[ $line != *"$last_words" ]] || { is_last=1 line=${line%"$last_words"}; }
    [[ -n $is_last && -z $line ]] && break
    read -r -N 1 -u "$pen"
    printf '%s%s\n' "$1" "$line" 2>/dev/null
    printf x >&"$pen"
  done
}

# Opens the descriptors node_out and node_err for the node named $1.
open_output() {
  if ((prefix)); then
    exec {node_out}> >(prefix_lines "[$1] ")
    prefixers+=($!)
    exec {node_err}> >(prefix_lines "[$1] " >&2)
    prefixers+=($!)
  else
    exec {node_out}>&1 {node_err}>&2
  fi
}

# ---- nodes ----------------------------------------------------------------------------------------------

declare -A group=()  # name -> process group of a node that still runs
declare -A groups=() # name -> process group of every node ever started
order=()             # names in the order of their start
prefixers=()
last_words=$(printf '%08x' "$SRANDOM" "$SRANDOM" "$SRANDOM" "$SRANDOM") # ends a prefixer; unknown to the nodes

# The body of a node's process group. TERM to the group reaches the program itself; the wrapper only has to
# survive it in order to report.
run_node() {
  local name=$1
  shift
  local stopped=
  trap 'stopped=143' TERM INT HUP
  (
    trap - TERM INT HUP
    [[ -z $stopped ]] || exit "$stopped" # it came before there was a program to end
    exec 2>&"$node_err" {node_err}>&- {events}>&- {pen}>&-
    exec "$@"
  )
  printf 'exit %s %d\n' "$name" $? >&"$events"
}

# start_node NAME ROLE RANK COMMAND...
start_node() {
  local name=$1 role=$2 rank=$3 node_out node_err
  shift 3
  export DMLC_ROLE=$role DMLC_RANK=$rank
  [[ -n $rank ]] || unset DMLC_RANK
  open_output "$name"
  set -m # a process group of its own for the node; stderr is for the node, not for what bash says of it
  run_node "$name" ${node_env:+env "${node_env[@]}"} "$@" </dev/null >&"$node_out" 2>/dev/null {node_out}>&- &
  set +m
  group[$name]=$!
  groups[$name]=$!
  order+=("$name")
  exec {node_out}>&- {node_err}>&-
  ((verbose)) && say "$name is process group $!"
}

signal_nodes() {
  local name
  for name in "${order[@]}"; do
    kill -"$1" -- "-${groups[$name]}" 2>/dev/null
  done
}

# How many nodes of which role there are; the number of words that said so is in $REPLY.
choose_nodes() {
  local words=0
  if [[ -n $joint ]]; then
    (($# >= 1)) || usage_error "--joint $joint wants a program"
    export DMLC_NUM_SERVER=$joint DMLC_NUM_WORKER=$joint
  else
    (($# >= 3)) || usage_error "wants num_servers, num_workers and a program"
    parse_count num_servers "$1"; export DMLC_NUM_SERVER=$REPLY
    parse_count num_workers "$2"; export DMLC_NUM_WORKER=$REPLY
    words=2
  fi
  REPLY=$words
}

# start_nodes COMMAND...
start_nodes() {
  local i
  start_node H scheduler "" "$@"
  if [[ -n $joint ]]; then
    for ((i = 0; i < joint; i++)); do start_node "J$i" joint "$i" "$@"; done
    return
  fi
  for ((i = 0; i < DMLC_NUM_SERVER; i++)); do start_node "S$i" server "$i" "$@"; done
  for ((i = 0; i < DMLC_NUM_WORKER; i++)); do start_node "W$i" worker "$i" "$@"; done
}

# If this script itself is killed, its end of the pipe closes and the nodes are killed too.
start_dead_man_switch() {
  set -m
  coproc DEAD_MAN {
    trap '' INT TERM HUP
    exec {events}>&- {pen}>&-
    read -r || { signal_nodes KILL; remove_keys; }
  } 2>/dev/null >/dev/null
  set +m
}

# ---- the life of a job ----------------------------------------------------------------------------------

result=0    # exit code of the job: the first thing that went wrong decides
stopping=0  # 1 after TERM was sent
deadline=0  # ms on the clock of now_ms; 0 = none

now_ms() { REPLY=$((${EPOCHREALTIME/[.,]/} / 1000)); }

running_names() {
  local name
  REPLY=
  for name in "${order[@]}"; do
    [[ -n ${group[$name]-} ]] && REPLY+=${REPLY:+, }$name
  done
}

# Keeps the first reason for ending, and asks the nodes to end.
stop_job() {
  ((result)) || result=$1
  ((stopping)) && return
  stopping=1
  signal_nodes TERM
  now_ms
  deadline=$((REPLY + grace_ms))
}

describe_exit() {
  if (($1 > 128 && $1 <= 192)); then
    REPLY="was ended by signal $(($1 - 128)) ($(kill -l $(($1 - 128)) 2>/dev/null))"
  else
    REPLY="exited with $1"
  fi
}

on_exit() {
  local name=$1 code=$2
  unset "group[$name]"
  describe_exit "$code"
  ((verbose)) && say "$name $REPLY"
  ((code == 0 || stopping)) && return
  local what=$REPLY
  running_names
  say "$name $what${REPLY:+; stopping $REPLY}"
  stop_job "$code"
}

on_signal() {
  if ((stopping)); then # asked twice: no more grace
    deadline=1
  else
    say "interrupted by SIG$1, stopping the job"
    stop_job "$2"
  fi
}

on_deadline() {
  running_names
  if ((stopping)); then
    say "killing $REPLY, still there after TERM"
    exec 2>/dev/null # bash would report each of them
    signal_nodes KILL
    group=()
  else
    say "still running after $timeout_text s: $REPLY; stopping the job"
    stop_job 124
  fi
}

# Reads one event or runs into the deadline.
next_event() {
  local kind name code left limit=()
  if ((deadline)); then
    now_ms
    left=$((deadline > REPLY ? deadline - REPLY : 1))
    limit=(-t "$((left / 1000)).$(printf %03d $((left % 1000)))")
  fi
  if read -r "${limit[@]}" -u "$events" kind name code; then
    "on_$kind" "$name" "$code"
  else
    on_deadline
  fi
}

# Ends what the nodes left behind in their groups, then lets the last lines out, however long that takes: what
# the nodes have written comes before `last_words`. So a process that moved to a group of its own and keeps the
# output open is not waited for.
finish() {
  local prefixer
  signal_nodes KILL
  wait "${groups[@]}" 2>/dev/null
  echo done >&"${DEAD_MAN[1]}" 2>/dev/null
  for prefixer in "${prefixers[@]}"; do
    (printf '%s\n' "$last_words" >"/proc/$prefixer/fd/0") 2>/dev/null # fails when it has ended
  done
  ((${#prefixers[@]})) && wait "${prefixers[@]}" 2>/dev/null
  exit "$result"
}

main() {
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)) || { say "needs bash 5.1 or newer, this is $BASH_VERSION"; exit 2; }
  parse_options "$@"
  shift "$REPLY"
  unset PS_TRACKER_PREFIX # for this script, not for the nodes
  choose_nodes "$@"
  shift "$REPLY"
  ((DMLC_NUM_SERVER + DMLC_NUM_WORKER >= 1)) || usage_error "a job needs at least one server or worker"
  find_program "$1"
  local program=$REPLY
  shift
  choose_address
  export PS_JOB_TOKEN=${PS_JOB_TOKEN:-$(printf %08x "$SRANDOM" "$SRANDOM" "$SRANDOM" "$SRANDOM")}
  ((verbose)) && say "scheduler at $DMLC_PS_ROOT_URI:$DMLC_PS_ROOT_PORT, $DMLC_NUM_SERVER servers, $DMLC_NUM_WORKER workers of $program"

  exec {events}<> <(:) {pen}<> <(:)
  printf x >&"$pen"
  trap 'echo "signal INT 130" >&"$events"' INT
  trap 'echo "signal TERM 143" >&"$events"' TERM
  trap 'echo "signal HUP 129" >&"$events"' HUP
  ((secure)) && choose_keys
  if ((timeout_ms)); then now_ms; deadline=$((REPLY + timeout_ms)); fi

  start_nodes "$program" "$@"
  start_dead_man_switch
  while ((${#group[@]})); do next_event; done
  finish
}

main "$@"
