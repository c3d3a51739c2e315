#!/usr/bin/env bash
# examples/word_embedding/get_data.sh when apt-get, the network or the packages are not as they should be. apt-get,
# dpkg-deb and the packages are stand-ins here.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${PS_ROOT:-$here/../..}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

expect() {
  if [[ $2 == *"$3"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: wanted "%s" in "%s"\n' "$1" "$3" "$2"
  fi
}

# The PATH holds what the script needs and no apt-get but the stand-in.
mkdir -p "$work/bin"
for tool in bash cp dirname env head id mkdir mktemp mv rm sed seq wc; do
  ln -s "$(type -P "$tool")" "$work/bin/$tool"
done
stand_in() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
get_data() {
  out=$(PATH=$work/bin "$root/examples/word_embedding/get_data.sh" "$work/data" 2>&1)
  code=$?
}
# packages PROGRAM: what dpkg-deb unpacks has this as its program that prints the verses.
packages() {
  mkdir -p "$work/package/usr/bin" "$work/package/usr/share/doc/bible-kjv-text"
  echo legend >"$work/package/usr/share/doc/bible-kjv-text/copyright"
  printf '#!/usr/bin/env bash\n%s\n' "$1" >"$work/package/usr/bin/bible"
  chmod +x "$work/package/usr/bin/bible"
}

get_data
expect "no apt-get: code" "$code" 3
expect "no apt-get: text" "$out" "apt-get is needed to fetch the text"
stand_in apt-get 'exit 100'
get_data
expect "no dpkg-deb: code" "$code" 3
expect "no dpkg-deb: text" "$out" "or put a text with a sentence to a line into $work/data/kjv.txt"

stand_in dpkg-deb "cp -r '$work/package/.' \"\$3\""
get_data
expect "no network: code" "$code" 4
expect "no network: text" "$out" "has apt-get update been run?"

stand_in apt-get 'echo >package.deb'
packages 'exit 127'
get_data
expect "the program does not run: code" "$code" 5
expect "the program does not run: text" "$out" "is libreadline installed?"
packages 'echo "Ge1:1 In the beginning God created the heaven and the earth."'
get_data
expect "another text: code" "$code" 5
expect "another text: text" "$out" "1 verses, not 31102"
expect "nothing half-done stays" "<$(ls "$work/data")>" "<>"

packages 'echo "Ge1:1 In the beginning God created the heaven and the earth."; seq -f "Ge1:%g and so on" 2 31102'
get_data
expect "the packages: code" "$code" 0
expect "the packages: files" "$(echo $(ls "$work/data"))" "copyright kjv.txt"
expect "places are taken away" "$(sed -n 2p "$work/data/kjv.txt")" "and so on"

stand_in apt-get 'exit 100'
get_data
expect "from the cache: code" "$code" 0
expect "from the cache: nothing to do" "<$out>" "<>"

echo "$passed passed, $failed failed"
((failed == 0))
