#!/usr/bin/env bash
# usage: demo.sh [--synthetic] [num_servers num_workers]
#
# Trains the spam filter on real mail with 1 scheduler, 2 servers and 2 workers on this machine and checks
# how good it is. With --synthetic, or where the mails cannot be had, on made-up ones.
#
# PS_BUILD   the build folder   [build]
# SPAM_DATA  where data is kept   [$PS_BUILD/data]

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${PS_BUILD:-$root/build}
data=${SPAM_DATA:-$build/data}
export -n PS_BUILD PS_ROOT # settings of the build, not of the runtime: nodes need not see them
programs=$build/examples/spam_filter

if [[ ${1-} == -h || ${1-} == --help ]]; then
  sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 0
fi
synthetic=0
if [[ ${1-} == --synthetic ]]; then
  synthetic=1
  shift
fi
num_servers=${1:-2}
num_workers=${2:-2}
if [[ ! $num_servers$num_workers =~ ^[0-9]+$ ]]; then
  sed -n '2s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi

warn() {
  printf '%s\n' "" "************************************************************************" "$@" \
    "************************************************************************" "" >&2
}

if ((!synthetic)); then
  PS_BUILD=$build SPAM_DATA=$data "$here/get_data.sh" "$data/real"
  case $? in
    0) ;;
    3 | 4 | 5)
      warn "*  The real mails are NOT available here (see above)." \
        "*  Training on MADE-UP mails instead: the figures below say nothing" "*  about real mail."
      synthetic=1 ;;
    *) exit 1 ;;
  esac
fi

if ((synthetic)); then
  set_of=$data/synthetic
  "$programs/make_synthetic" "$set_of" || exit 1
  best=$(<"$set_of/best_auc.txt")
  # Within 0.01 of the best possible; there is no bound for the accuracy.
  wanted=("min_auc=$(awk -v best="$best" 'BEGIN { print best - 0.01 }')")
else
  set_of=$data/real
  wanted=(min_auc=0.995 min_accuracy=0.975)
fi

# On a terminal the progress bar needs the output as it is.
prefix=()
[[ -t 1 ]] && prefix=(--no-prefix)

echo "training with 1 scheduler, $num_servers servers and $num_workers workers"
"$root/tracker/local.sh" "${prefix[@]}" --timeout 300 "$num_servers" "$num_workers" "$programs/spam_filter" \
  "train=$set_of/train.libsvm" "held_out=$set_of/held_out.libsvm" "vocabulary=$set_of/vocabulary.tsv" "${wanted[@]}"
code=$?
((code == 0)) && ((synthetic)) && echo "made-up mails: the best possible AUC is $best"
exit "$code"
