#!/bin/bash
# deps.sh build|lint|fuzz|demo|instructions|faults|python|lua|curves: makes sure that what this purpose needs is installed.
# Looks for the things themselves (commands, headers), not for packages, so that it is right on any distribution;
# installs with apt where there is one, elsewhere names what is missing.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

missing=()

# need_command COMMAND PACKAGE
need_command() { command -v "$1" >/dev/null 2>&1 || missing+=("$2"); }
# need_module PKG_CONFIG_NAME PACKAGE
need_module() { pkg-config --exists "$1" 2>/dev/null || missing+=("$2"); }
# need_header HEADER PACKAGE
need_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ] || missing+=("$2"); }

# need_python MODULE PACKAGE
need_python() { "${PYTHON:-/usr/bin/python3}" -c "import $1" 2>/dev/null || missing+=("$2"); }

find_missing() {
  missing=()
  case "$1" in
    build)
      need_command g++ g++
      need_command make make
      need_command ld.lld lld
      need_command pkg-config pkg-config
      need_command protoc protobuf-compiler
      need_command "${PYTHON:-/usr/bin/python3}" python3
      need_module libzmq libzmq3-dev
      need_module protobuf-lite libprotobuf-dev
      need_module libsodium libsodium-dev
      need_module libxxhash libxxhash-dev
      need_header CLI/CLI.hpp libcli11-dev
      need_module gtest libgtest-dev
      need_header nlohmann/json.hpp nlohmann-json3-dev
      need_header dmlc/logging.h libdmlc-dev
      ;;
    lint)
      need_command clang++ clang
      need_command clang-format clang-format
      ;;
    demo)
      need_command npm npm
      ;;
    instructions)
      need_command valgrind valgrind
      ;;
    faults)
      need_command ip iproute2
      need_command nft nftables
      need_command faketime faketime
      ;;
    python)
      need_command strip binutils
      need_python numpy python3-numpy
      need_python pytest python3-pytest
      need_python setuptools python3-setuptools
      need_python wheel python3-wheel
      ;;
    lua)
      need_command "${LUAJIT:-luajit}" luajit
      ;;
    curves)
      need_python matplotlib python3-matplotlib
      need_python numpy python3-numpy
      need_command "${LUAJIT:-luajit}" luajit
      need_command npm npm
      ;;
    fuzz)
      need_command clang++ clang
      compgen -G '/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a' >/dev/null ||
        missing+=(libclang-rt-dev)
      ;;
    *) echo "deps.sh: unknown purpose '$1'" >&2; exit 2 ;;
  esac
}

find_missing "$1"
[ ${#missing[@]} -eq 0 ] && exit 0

purpose=$1
log=
# Tests of cut networks and moved clocks are skipped without their tools, and say so, and so are those of Python and Lua:
# these may be missing.
finish() {
  local code=$?
  [ -z "$log" ] || rm -f "$log"
  [ $code -ne 0 ] && [[ $purpose =~ ^(faults|python|lua)$ ]] || exit $code
  echo "deps: without ${missing[*]} some tests are skipped" >&2
  exit 0
}
trap finish EXIT
if ! command -v apt-get >/dev/null 2>&1; then
  echo "deps: please install (Debian's names): ${missing[*]}" >&2
  exit 1
fi
echo "deps: installing ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo)
  command -v sudo >/dev/null 2>&1 || { echo "deps: not root and no sudo; please install: ${missing[*]}" >&2; exit 1; }
fi
log=$(mktemp)
apt_get() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >"$log" 2>&1; }
# Package lists may be missing (fresh images) or out of date: then refresh them and try once more.
apt_get install --no-install-recommends "${missing[@]}" ||
  { apt_get update && apt_get install --no-install-recommends "${missing[@]}"; } ||
  { cat "$log" >&2; echo "deps: apt-get could not install: ${missing[*]}" >&2; exit 1; }
find_missing "$1"
[ ${#missing[@]} -eq 0 ] || { echo "deps: still missing after the installation: ${missing[*]}" >&2; exit 1; }
