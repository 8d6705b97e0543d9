"""One machine for all tests, with a deployment that systemd runs."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
from machine import CannotBoot, Machine, make_debian  # noqa: E402


@pytest.fixture(scope="session")
def machine():
    with tempfile.TemporaryDirectory(prefix="image-feed-machine-") as directory:
        directory = pathlib.Path(directory)
        programs = directory / "programs"
        programs.mkdir()
        strip(pathlib.Path(os.environ["IMAGE_FEED_PROGRAMS"]), programs)
        machine = Machine(directory / "debian", programs)
        try:
            make_debian(directory / "debian")
            machine.boot()
        except (CannotBoot, subprocess.CalledProcessError) as error:
            pytest.exit(f"THIS MACHINE CANNOT BOOT A DEBIAN, so the units of deploy/systemd were not tested:\n{error}", returncode=0)
        try:
            yield machine
        finally:
            machine.shut_down()


def strip(built, programs):
    for file in [built / "gateway", *built.glob("*-service")]:
        subprocess.run(["strip", "-o", programs / file.name, file], check=True)
    for resources in built.glob("image-feed_*.resources"):
        shutil.copytree(resources, programs / resources.name)
