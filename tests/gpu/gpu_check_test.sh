#!/bin/bash
# gpu_check: with a GPU it passes; without one it says that nothing was run, with 77; and all of it works on the processor.
set -euo pipefail
check=$PS_BUILD/tests/gpu/gpu_check

if out=$("$check" 2>&1); then code=0; else code=$?; fi
case $code in
  0) grep -q 'gpu-check: [1-9][0-9]* tests on cuda:0: all passed' <<<"$out" ;;
  77) grep -q 'NOTHING WAS RUN: .\{20\}' <<<"$out" && ! grep -q passed <<<"$out" ;;
  *) false ;;
esac || { echo "gpu_check ended with $code and said:"; echo "$out"; exit 1; }

out=$("$check" --processor 2>&1) || { echo "$out"; exit 1; }
for line in 'gpu-check: [1-9][0-9]* tests on cpu:1: all passed' '^sum of 4 arrays .*%' '^2-bit codes, encode .*%' \
            '^pageable memory from the device .*%'; do
  grep -q "$line" <<<"$out" || { echo "no line like '$line' in:"; echo "$out"; exit 1; }
done

# The examples' forms for GPUs, where nvcc has built them: right, or they say that there is none.
for example in "$PS_BUILD"/examples/gpu/*; do
  [ -x "$example" ] || continue
  if out=$("$PS_ROOT/tests/gpu/example.sh" "$PS_BUILD" "$(basename "$example")" 2>&1); then continue; else code=$?; fi
  [ $code = 77 ] || { echo "$example ended with $code and said:"; echo "$out"; exit 1; }
  grep -q 'NOTHING WAS RUN: there is no GPU' <<<"$("$example" 0)" || { echo "$example does not say why"; exit 1; }
done

# It can be taken to another machine: of the libraries that it needs none is ours, and none CUDA's.
if [ -z "${PS_SAN:-}" ] && ldd "$check" | grep -E 'cuda|zmq|protobuf|sodium|xxhash|dmlc|stdc\+\+|gtest|libps'; then
  echo "gpu_check needs the libraries above"; exit 1
fi
