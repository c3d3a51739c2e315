#!/bin/bash
# `make install` into an empty folder serves programs that use pkg-config (shared and static) and CMake.
set -euo pipefail
cd "$PS_ROOT"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cxx=${CXX:-g++}
consumer=$PWD/tests/install/consumer.cc

# The same spelling of the build folder as the caller's, or everything would be built again.
make BUILD="${PS_BUILD#"$PWD"/}" SAN="${PS_SAN:-}" PREFIX=/opt/ps DESTDIR="$work" install
root=$work/opt/ps

for file in include/ps/ps.h lib/libps.a lib/libps.so.1 lib/libps.so lib/pkgconfig/ps.pc lib/cmake/ps/psConfig.cmake bin/ps_keygen bin/ps_local \
  share/lua/5.1/ps.lua share/lua/5.1/ps/kvstore.lua; do
  [ -s "$root/$file" ] || { echo "not installed: $file"; exit 1; }
done
soname=$(readelf -d "$root/lib/libps.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = libps.so.1 ] || { echo "soname is '$soname', not libps.so.1"; exit 1; }
if grep -rn "$PWD" "$root/include" "$root/lib/pkgconfig" "$root/lib/cmake"; then
  echo "installed files name the source folder"; exit 1
fi
# Public headers stand alone: they include each other and nothing from src/.
if grep -rnE '#include "(base|message|transport|van|postoffice|app|cluster)/' "$root/include"; then
  echo "installed headers include headers that are not installed"; exit 1
fi
"$root/bin/ps_keygen" --help >/dev/null || { echo "the installed ps_keygen does not run"; exit 1; }
"$root/bin/ps_local" --help | grep '^usage: ps_local ' >/dev/null || { echo "ps_local has another name in its help"; exit 1; }
(cd / && env -u PS_BUILD "$root/bin/ps_local" --secure 1 1 /bin/true) || { echo "the installed ps_local does not run a job"; exit 1; }
if [ -n "${PS_SAN:-}" ]; then
  echo "programs are not linked against a sanitized library"; exit 0
fi

export PKG_CONFIG_PATH=$root/lib/pkgconfig
echo "== pkg-config, shared"
$cxx -std=c++17 "$consumer" $(pkg-config --cflags --libs ps) -o "$work/shared"
LD_LIBRARY_PATH=$root/lib timeout 20 "$work/shared"
echo "== pkg-config, static"
mkdir "$work/static_only"
cp "$root/lib/libps.a" "$work/static_only/"
$cxx -std=c++17 "$consumer" -L"$work/static_only" $(pkg-config --cflags --static --libs ps | sed "s#-L$root/lib/pkgconfig/../../lib##") -o "$work/static"
! readelf -d "$work/static" | grep 'libps\.so' || { echo "the static program needs libps.so"; exit 1; }
timeout 20 "$work/static"

command -v cmake >/dev/null || { echo "no cmake: its part is left out"; exit 0; }
echo "== CMake"
mkdir "$work/project"
cat > "$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.10)
project(consumer CXX)
find_package(ps 0.1 REQUIRED)
foreach(target ps::ps ps::ps_static pslite)
  string(REPLACE "::" "_" name "use_\${target}")
  add_executable(\${name} $consumer)
  target_link_libraries(\${name} PRIVATE \${target})
endforeach()
END
cmake -S "$work/project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$root" -DCMAKE_CXX_COMPILER="$cxx" >"$work/cmake.log" 2>&1 ||
  { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/cmake" -- -j2 >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
for name in use_ps_ps use_ps_ps_static use_pslite; do timeout 20 "$work/cmake/$name"; done
echo "install: all consumers ran"
