#!/bin/bash
# Where make finds CUDA: nvcc may be a script that calls the real one, and a toolkit may lack the static runtime.
set -euo pipefail
cd "$PS_ROOT"

toolkit=$TMPDIR/toolkit
mkdir -p "$TMPDIR/wrapped" "$TMPDIR/bare" "$toolkit/lib64" "$toolkit/bin"
: > "$toolkit/lib64/libcudart_static.a"
printf '#!/bin/sh\necho "#\\$ TOP=%s/bin/.." >&2\n' "$toolkit" > "$toolkit/bin/nvcc"
printf '#!/bin/sh\nexec %s/bin/nvcc "$@"\n' "$toolkit" > "$TMPDIR/wrapped/nvcc"
printf '#!/bin/sh\nexit 1\n' > "$TMPDIR/bare/nvcc"
chmod +x "$toolkit/bin/nvcc" "$TMPDIR"/{wrapped,bare}/nvcc
printf 'show: ; @echo "nvcc=$(NVCC) runtime=$(CUDART)"\nBUILD := %s/build\ninclude make/cuda.mk\n' "$TMPDIR" > "$TMPDIR/show.mk"

# expect FOLDER_OF_NVCC TEXT [VARIABLE=VALUE...]: make says TEXT, with that nvcc first on the PATH.
expect() {
  local out
  out=$(env -i PATH="$TMPDIR/$1:/usr/bin:/bin" make -s -f "$TMPDIR/show.mk" show "${@:3}" 2>&1) || true
  grep -qF "$2" <<< "$out" || { echo "$*: make says"; echo "$out"; exit 1; }
}

expect wrapped "nvcc=$TMPDIR/wrapped/nvcc runtime=$toolkit/lib64/libcudart_static.a"
expect wrapped "nvcc= " USE_CUDA=0
expect . "nvcc=$toolkit/bin/nvcc runtime=$toolkit/lib64/libcudart_static.a" USE_CUDA_PATH="$toolkit"
expect bare "no CUDA: $TMPDIR/bare/nvcc is there, but no libcudart_static.a"
expect bare "nvcc= "
expect bare "set USE_CUDA=0" USE_CUDA=1
expect . "there is no $TMPDIR/bin/nvcc" USE_CUDA_PATH="$TMPDIR"
