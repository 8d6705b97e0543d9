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
    if archive := os.environ.get("IMAGE_FEED_IMAGE"):
        shutil.copy(archive, cluster.directory / "image.tar")
        run("podman", "load", "--input", archive)
    else:
        run(PROJECT / "deploy/image", "--bin", programs, "--output", cluster.directory / "image.tar")
    container = run("podman", "create", "localhost/image-feed:latest").strip()
    run("podman", "cp", f"{container}:/usr/share/image-feed/parts", cluster.directory / "parts")
    run("podman", "rm", container)
    listing = (cluster.directory / "parts").read_text()
    return [tuple(line.split(maxsplit=2)) for line in listing.splitlines()]
