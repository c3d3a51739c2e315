#!/usr/bin/env python3
"""build_wheel.py FOLDER DIST: the wheel of a folder with pyproject.toml, by the setuptools that is installed.

It holds a shared library that any Python can load: the tag says the platform, and no version of Python. Says what is
missing, and succeeds, where setuptools or wheel is.
"""
import os
import sys
import sysconfig


def main() -> int:
    folder, dist = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    try:
        import wheel  # noqa: F401
        from setuptools import build_meta
    except ImportError as error:
        print(f"no wheel: {error} (python3-setuptools, python3-wheel)")
        return 0
    os.chdir(folder)
    sys.argv[1:] = []
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with open(os.path.join(dist, ".log"), "w", encoding="utf-8") as log:
        kept = os.dup(1), os.dup(2)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
        try:
            build_meta.build_wheel(dist, {"--build-option": [f"--plat-name={platform}"]})
        finally:
            sys.stdout.flush()
            os.dup2(kept[0], 1)
            os.dup2(kept[1], 2)
    os.unlink(os.path.join(dist, ".log"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
