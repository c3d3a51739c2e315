#!/usr/bin/env python3
"""Layers and fences: who may include whom, and which header belongs to whom alone."""
import re
import sys

import cpp
import report

# From the bottom up. A layer may include itself and every layer before it, except those named here.
LAYERS = {
    "base": (),
    "message": (),
    "transport": (),
    "van": (),
    "postoffice": ("transport",),
    "app": ("transport", "van"),
    "cluster": (),
    "device": ("message", "transport", "van", "postoffice", "app", "cluster"),
    "store": ("transport", "van"),
    "collective": ("transport", "van"),
    "group": ("message", "transport", "van", "postoffice", "app"),
    "kvstore": ("transport", "van"),
    "table": ("transport", "van", "kvstore"),
    "model": ("transport", "van", "kvstore", "table"),
    "c_api": (),
    "tools": (),
}
ORDER = list(LAYERS)

# Public headers whose layer is not that of a source of the same name.
PUBLIC = {
    **dict.fromkeys(("base", "environment", "config", "status", "range", "sarray", "aligned_memory",
                     "sarray_functions", "inline_vector", "sarray_memory", "alloc"), "base"),
    **dict.fromkeys(("mailbox", "postoffice"), "postoffice"),
    **dict.fromkeys(("customer", "simple_app", "kv_pairs", "kv_arrays", "pull_buffer", "kv_worker", "kv_server",
                     "kv_app", "ps"), "app"),
    "message": "message", "van": "van", "local_cluster": "cluster",
    **dict.fromkeys(("dtype", "dtype_of", "half", "tensor", "device_id", "stream", "borrowed_stream", "dlpack"),
                    "device"),
    **dict.fromkeys(("updater", "table_spec", "ticket", "store", "store_table", "store_server", "user_shard",
                     "user_table"), "store"),
    "kvstore": "kvstore", "kv_key": "kvstore", "trainer": "kvstore",
    **dict.fromkeys(("table", "table_options", "table_core", "table_values", "id_list", "array_table", "matrix_table",
                     "kv_table", "async_buffer", "multiverso"), "table"),
    "collective": "collective", "mshadow_ps": "model", "model_updater": "model",
    "c_api": "c_api",
}
# Folders of public headers that belong to one layer.
PUBLIC_FOLDERS = {"include/ps/multiverso/": "table", "include/ps/mshadow/": "model", "include/ps/c/": "c_api"}
# Forwarders under the names that old programs include; nothing here includes them.
LEGACY = {f"ps/internal/{name}.h" for name in ("postoffice", "customer", "van", "message", "env", "utils",
                                               "threadsafe_queue")}
# ps.h is the list of everything that a program gets.
UMBRELLA = {"include/ps/ps.h"} | {"include/" + header for header in LEGACY}

PROTOBUF_OWNERS = ("src/van/control.cc", "src/store/spec_bytes.cc", "src/store/rule_bytes.cc",
                   "src/store/checkpoint/record.cc", "src/store/checkpoint/manifest_bytes.cc")
# (what is included, who may, why nobody else)
FENCES = (
    (re.compile(r"^zmq"), ("src/transport/zmq/",), "ZeroMQ stays in src/transport/zmq/"),
    (re.compile(r"^google/protobuf/|\.pb\.h$"), PROTOBUF_OWNERS, "protobuf stays in " + ", ".join(PROTOBUF_OWNERS)),
    (re.compile(r"^sodium"), ("src/van/proof.cc",), "libsodium stays in src/van/proof.cc"),
    (re.compile(r"^(cuda|nccl|cublas|curand)"), ("src/device/cuda/",), "CUDA stays in src/device/cuda/"),
)
GETENV = {"getenv", "secure_getenv"}
GETENV_OWNER = "src/base/config.cc"


def is_source(path):
    return path.endswith((".h", ".cc", ".cu", ".cuh"))


class Checker:
    def __init__(self, top):
        self.top = top
        self.report = report.Report("layers", top)
        self.files = [p for p in report.project_files(top) if is_source(p)]
        self.owner = dict(PUBLIC)
        for path in self.files:
            parts = path.split("/")
            if parts[0] == "src" and len(parts) > 2:
                self.owner.setdefault(parts[-1].rsplit(".", 1)[0], parts[1])

    def layer_of(self, path):
        """The layer of a file of src/ or include/ps/; None where it has none."""
        parts = path.split("/")
        if parts[0] == "src":
            return parts[1] if len(parts) > 2 else None
        for folder, layer in PUBLIC_FOLDERS.items():
            if path.startswith(folder):
                return layer
        return self.owner.get(parts[-1].rsplit(".", 1)[0])

    def run(self):
        for path in self.files:
            if path.startswith(("src/", "include/", "examples/")):
                self.check_file(path, report.read(self.top, path))
        return self.report.finish()

    def check_file(self, path, text):
        for header, quoted, line in cpp.includes(text):
            for pattern, owners, why in FENCES:
                if pattern.search(header) and not path.startswith(owners):
                    self.report.add(path, line, f"includes <{header}>: {why}", f"{path} {header}")
            if path.startswith("examples/"):
                self.check_example(path, line, header, quoted)
            elif quoted or header.startswith("ps/"):
                self.check_include(path, line, header)
        if path.startswith(("src/", "include/")) and path != GETENV_OWNER:
            for word, line in cpp.words(text):
                if word in GETENV:
                    self.report.add(path, line, f"calls {word}: only {GETENV_OWNER} reads the environment", path)

    def check_example(self, path, line, header, quoted):
        if quoted and not header.startswith(("ps/", "examples/")) and "/" in header:
            self.report.add(path, line, f'includes "{header}": examples use public headers only', f"{path} {header}")

    def check_include(self, path, line, header):
        public = path.startswith("include/")
        if header.startswith("ps/"):
            if header in LEGACY:
                self.report.add(path, line, f'includes "{header}", which is for old programs', f"{path} {header}")
            target = self.layer_of("include/" + header)
        elif header.endswith(".pb.h"):
            return
        elif public:
            self.report.add(path, line, f'includes "{header}": a public header includes public headers only',
                            f"{path} {header}")
            return
        else:
            target = header.split("/")[0]
        if path not in UMBRELLA:
            self.check_direction(path, line, header, target)

    def check_direction(self, path, line, header, target):
        layer = self.layer_of(path)
        subject = f"{path} {header}"
        if layer is None or layer not in LAYERS:
            return self.report.add(path, line, f"belongs to no known layer ({layer}); see PUBLIC in layers.py", path)
        if target not in LAYERS:
            return self.report.add(path, line, f'includes "{header}", which belongs to no layer', subject)
        if target == layer:
            return None
        if ORDER.index(target) > ORDER.index(layer):
            return self.report.add(path, line, f'{layer} includes "{header}" of {target}, a higher layer', subject)
        if target in LAYERS[layer]:
            return self.report.add(path, line, f'{layer} must not include {target} ("{header}")', subject)
        return None


if __name__ == "__main__":
    sys.exit(Checker(report.root()).run())
