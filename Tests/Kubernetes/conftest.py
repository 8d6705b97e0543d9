"""One image and one cluster for all tests."""

import os
import pathlib
import shutil
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))
from cluster import PROJECT, Cluster, run  # noqa: E402


@pytest.fixture(scope="session")
def cluster():
    with tempfile.TemporaryDirectory(prefix="image-feed-cluster-") as directory:
        # PostgreSQL's user passes through it.
        os.chmod(directory, 0o711)
        cluster = Cluster(pathlib.Path(directory))
        try:
            yield cluster
        finally:
            cluster.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Shows what the pods say when a test fails."""
    report = yield
    if report.failed and (cluster := item.funcargs.get("cluster")):
        report.sections.append(("pods", cluster.logs()))
    return report


@pytest.fixture(scope="session")
def programs():
    return pathlib.Path(os.environ["IMAGE_FEED_PROGRAMS"])


@pytest.fixture(scope="session")
def parts(cluster, programs):
    """Makes the image, or takes the archive IMAGE_FEED_IMAGE. The list of its files: bytes, path and package."""
    archive = cluster.directory / "image.tar"
    if made := os.environ.get("IMAGE_FEED_IMAGE"):
        for file in (made, f"{made}.parts"):
            shutil.copy(file, f"{archive}{file.removeprefix(made)}")
        run("podman", "load", "--input", archive)
    else:
        run(PROJECT / "deploy/image", "--bin", programs, "--output", archive)
    return [tuple(line.split(maxsplit=2)) for line in pathlib.Path(f"{archive}.parts").read_text().splitlines()]
