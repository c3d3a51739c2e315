#!/usr/bin/env bash
# usage: get_data.sh [OUT_DIR]
#
# Fetches the King James Bible as packed by Debian: OUT_DIR/kjv.txt, 31,102 verses, one to a line. The package
# bible-kjv-text has it in a form that only the program of the package bible-kjv reads; both are unpacked, not
# installed. What was fetched is kept, so that the second time no network is needed. Nothing of it belongs to this
# project; the text is in the public domain, and what its packager asks for lies beside it (copyright).
#
# PS_BUILD   the build folder   [build]
# OUT_DIR                       [$PS_BUILD/data/kjv]
#
# exit code: 0 done; 3 there is no apt-get or dpkg-deb; 4 the packages cannot be fetched; 5 what came is not the text

num_verses=31102
first_verse='In the beginning God created the heaven and the earth.'

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PS_BUILD:-$here/../../build}
out=${1:-$build/data/kjv}
. "$here/../fetch.sh"

is_complete() {
  [[ -f $1 && $(wc -l <"$1") == "$num_verses" && $(head -n 1 "$1") == "$first_verse" ]]
}

fetch() {
  local instead="put a text with a sentence to a line into $out/kjv.txt"
  need_command apt-get "the text" "$instead"
  need_command dpkg-deb "the text" "$instead"
  begin_fetch "$out"
  echo "fetching bible-kjv-text and bible-kjv with apt-get (2.5 MB)"
  # As whoever runs this: apt's own user could not write into the folder.
  (cd "$fetched" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download bible-kjv-text bible-kjv) ||
    stop 4 "apt-get could not fetch bible-kjv-text and bible-kjv: is there a network, and has apt-get update been run?"
  local package
  for package in "$fetched"/*.deb; do
    dpkg-deb -x "$package" "$fetched" || stop 5 "$package cannot be unpacked"
  done
  # A verse to a line, each with its place in front of it.
  "$fetched/usr/bin/bible" -f -p "$fetched/usr/lib" gen1:1-rev22:21 </dev/null >"$fetched/verses" ||
    stop 5 "the program of bible-kjv does not run: is libreadline installed?"
  sed 's/^[^ ]* //' "$fetched/verses" >"$fetched/kjv.txt"
  is_complete "$fetched/kjv.txt" || stop 5 "what came is not the text: $(wc -l <"$fetched/kjv.txt") verses, not $num_verses"
  mv "$fetched/kjv.txt" "$fetched/usr/share/doc/bible-kjv-text/copyright" "$out/"
}

is_complete "$out/kjv.txt" || fetch
