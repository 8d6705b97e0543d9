"""The image and the manifests, as an operator uses them."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid

import pytest
import yaml
from cluster import MANIFESTS, PROJECT, Database, eventually, rendered, run

OVERLAYS = ["single", "origin", "edge"]
TOKEN = "a-token-of-the-test"
PASSWORD = "a-password-of-the-test"


# --- the image ---------------------------------------------------------------------------------------------------------


def test_the_image_has_at_most_120_mb(cluster, parts):
    assert (cluster.directory / "image.tar").stat().st_size <= 120_000_000


def test_the_list_of_parts_names_all_files_with_their_packages(cluster, parts):
    container = run("podman", "create", "localhost/image-feed:latest").strip()
    export = subprocess.Popen(["podman", "export", container], stdout=subprocess.PIPE)
    files = subprocess.run(["tar", "-t"], stdin=export.stdout, capture_output=True, text=True, check=True).stdout.split()
    assert export.wait() == 0
    run("podman", "rm", container)
    named = {path for _, path, _ in parts}
    # What podman adds to each container, and the list itself.
    others = r"(dev|proc|sys|run|etc/(hosts|hostname|resolv\.conf|mtab)|usr/share/zoneinfo/.*|usr/share/image-feed/parts)"
    unnamed = [file for file in files if not file.endswith("/") and f"/{file}" not in named and not re.fullmatch(others, file)]
    # The links of a system whose programs are all below /usr.
    assert unnamed == ["bin", "lib", "lib64"]
    packages = {path: package for _, path, package in parts}
    assert re.fullmatch(r"libsqlite3-0 \S+", packages[next(path for path in packages if path.endswith("/libsqlite3.so.0"))])
    assert packages["/usr/bin/gateway"].startswith("image-feed ")
    assert next(package for path, package in packages.items() if path.endswith("/libswiftCore.so")).startswith("Swift ")
    assert all(re.fullmatch(r"\S+ \S+", package) for package in packages.values())


def test_the_image_has_no_shell_and_no_package_manager(parts):
    programs = {pathlib.Path(path).name for _, path, _ in parts if path.startswith(("/usr/bin", "/bin", "/usr/sbin", "/sbin"))}
    assert {"gateway", "feed-service", "comments-service", "image-data-service", "search-service", "vipsthumbnail"} <= programs
    assert not programs & {"sh", "bash", "dash", "busybox", "apt", "apt-get", "dpkg"}


@pytest.mark.parametrize("program", ["gateway", "feed-service", "comments-service", "image-data-service", "search-service"])
def test_a_program_of_the_image_runs_without_root_and_without_a_writable_file(parts, program):
    command = ["podman", "run", "--rm", "--read-only", "--network=host", "localhost/image-feed:latest", program, "--version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", run(*command))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bin"], "--bin needs a value."),
        (["--bin", "/nowhere"], "Directory '/nowhere' has no program gateway."),
        (["--tag", "No Name"], "--tag needs the name of an image, not 'No Name'."),
        (["--output", "/nowhere/image.tar"], "--output needs a file in a directory that exists, not '/nowhere/image.tar'."),
        (["--output", "/"], "--output needs a file in a directory that exists, not '/'."),
        (["--frobnicate"], "Unknown option --frobnicate."),
        (["now"], "Unexpected argument 'now'."),
    ])
def test_wrong_arguments_of_deploy_image_are_refused(options, message):
    outcome = subprocess.run([PROJECT / "deploy/image", *options], capture_output=True, text=True)
    assert (outcome.returncode, outcome.stderr.splitlines()[0]) == (64, f"error: {message}")


# --- the manifests -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_an_overlay_is_valid_by_the_schemas_of_kubernetes(overlay):
    import kubernetes_validate

    for document in rendered(MANIFESTS / overlay):
        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


def deployment(overlay):
    [found] = [document for document in rendered(MANIFESTS / overlay) if document["kind"] == "Deployment"]
    return found


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_container_has_probes_resources_and_no_rights(overlay):
    pod = deployment(overlay)["spec"]["template"]["spec"]
    assert [container["name"] for container in pod["containers"]] == ["gateway", "feed", "comments", "image-data", "search"]
    assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
    for container in pod["containers"]:
        assert container["startupProbe"] and container["livenessProbe"]
        assert container["resources"]["requests"]["cpu"] and container["resources"]["limits"]["memory"]
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert pod["containers"][0]["readinessProbe"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_services_outlive_the_gateway_within_the_time_of_the_pod(overlay):
    pod = deployment(overlay)["spec"]["template"]["spec"]
    drain = 10  # the default of --drain-time
    gateway, *services = (container["lifecycle"]["preStop"]["sleep"]["seconds"] for container in pod["containers"])
    assert all(gateway + drain < service for service in services)
    assert max(services) + drain < pod["terminationGracePeriodSeconds"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_sockets_of_a_pod_are_not_on_the_volume_of_its_stores(overlay):
    pod = deployment(overlay)["spec"]["template"]["spec"]
    [run_folder] = [volume for volume in pod["volumes"] if volume["name"] == "run"]
    assert run_folder["emptyDir"]["medium"] == "Memory"
    for container in pod["containers"]:
        mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
        assert mounts["/srv/image-feed/run"] == "run" and mounts["/srv/image-feed"] == "root"


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_a_pod_listens_on_all_addresses_of_either_family(overlay):
    [settings] = [
        json.loads(document["data"]["config.json"]) for document in rendered(MANIFESTS / overlay)
        if document["kind"] == "ConfigMap" and "config.json" in document["data"]]
    assert settings["gateway"]["http"] == "[::]:8080"


def selects(selector, labels):
    """Whether a selector of Kubernetes selects pods with these labels."""
    wanted = [*selector.get("matchLabels", {}).items()]
    assert wanted or selector.get("matchExpressions"), f"{selector} selects all pods"
    expressions = selector.get("matchExpressions", [])
    assert all(expression["operator"] == "In" for expression in expressions)
    return all(labels.get(key) == value for key, value in wanted) and all(
        labels.get(expression["key"]) in expression["values"] for expression in expressions)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_an_overlay_concerns_its_own_pods_and_no_others(overlay):
    pods = {other: deployment(other)["spec"]["template"]["metadata"]["labels"] for other in OVERLAYS}
    documents = rendered(MANIFESTS / overlay)
    selectors = [deployment(overlay)["spec"]["template"]["spec"]["topologySpreadConstraints"][0]["labelSelector"]]
    for document in documents:
        spec = document.get("spec", {})
        match document["kind"]:
            case "NetworkPolicy":
                selectors.append(spec["podSelector"])
            case "PodDisruptionBudget" | "Deployment":
                selectors.append(spec["selector"])
            case "Service":
                selectors.append({"matchLabels": spec["selector"]})
            case "HorizontalPodAutoscaler":
                assert spec["scaleTargetRef"]["name"] == deployment(overlay)["metadata"]["name"]
    for selector in selectors:
        assert [other for other in OVERLAYS if selects(selector, pods[other])] == [overlay]


def test_an_edge_may_reach_only_its_origin():
    [target] = [
        rule["to"] for document in rendered(MANIFESTS / "edge") if document["kind"] == "NetworkPolicy"
        for rule in document["spec"]["egress"] if "to" in rule]
    [peer] = target
    labels = {overlay: deployment(overlay)["spec"]["template"]["metadata"]["labels"] for overlay in OVERLAYS}
    assert [overlay for overlay in OVERLAYS if selects(peer["podSelector"], labels[overlay])] == ["origin"]
    # Under the name that its settings have.
    names = [document["metadata"]["name"] for document in rendered(MANIFESTS / "origin") if document["kind"] == "Service"]
    settings = json.loads((MANIFESTS / "edge/config.json").read_text())["services"]
    assert settings["upstream"] == f"http://{names[0]}" and settings["allow-private-upstream"] == [f"{names[0]}:80"]


@pytest.mark.parametrize("plugin", ["feed", "comments", "image-data", "search"])
def test_the_plugins_of_a_pod_are_those_of_a_deployment(plugin):
    installed = [*PROJECT.glob(f"deploy/plugins.d/{plugin}.json"), *PROJECT.glob(f"Services/*/{plugin}.json")]
    manifest = json.loads(installed[0].read_text())
    # A container of its own runs the program.
    manifest.pop("run", None)
    assert json.loads((MANIFESTS / f"base/plugins.d/{plugin}.json").read_text()) == manifest


# --- played ------------------------------------------------------------------------------------------------------------


class Failure(OSError):
    """A request that failed, with its problem."""


def fetch(url, data=None, token=None):
    request = urllib.request.Request(url, data=data, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        raise Failure(f"{url}: {error.status} {error.read()[:500]}") from None
    except OSError as error:
        raise Failure(f"{url}: {error}") from error


def publish(programs, pod, folder):
    """Imports a folder of this machine into a pod."""
    run(programs / "gateway", "import", folder, "--socket", pod.volume("/srv/image-feed/run") / "gateway.sock")


def feed(address):
    """All items that the page of an address leads to."""
    items, after = [], ""
    while True:
        page = json.loads(fetch(f"http://{address}/v1/feed?limit=20{after}"))["items"]
        if not page:
            return items
        items += page
        after = f"&after_id={page[-1]['id']}"


def test_single_serves_and_keeps_its_feed_in_another_pod(cluster, parts):
    overlay = cluster.overlay("single", "single")
    pod = cluster.play("single", overlay).await_ready()
    # As `kubectl cp` copies files.
    folder = subprocess.run(["tar", "-c", "-C", PROJECT / "deploy", "sample"], capture_output=True, check=True).stdout
    subprocess.run(["podman", "exec", "-i", pod.container("gateway"), "tar", "-x", "-C", "/tmp"], input=folder, check=True)
    pod.exec("gateway", "gateway", "import", "/tmp/sample")
    address = cluster.address()
    cluster.serve({address: [pod]})
    items = feed(address)
    assert len(items) == 24
    # A variant by vipsthumbnail, and a search.
    smaller = fetch(f"http://{address}/v1/image/{items[0]['id']}/data?w=160")
    assert 0 < len(smaller) < len(fetch(f"http://{address}/v1/image/{items[0]['id']}/data"))
    eventually(lambda: json.loads(fetch(f"http://{address}/v1/search?q=lighthouse"))["items"])

    assert pod.stop() == ["gateway", "feed", "comments", "image-data", "search"]
    pod = cluster.play("single-again", overlay).await_ready()
    cluster.serve({address: [pod]})
    assert feed(address) == items
    pod.kill()


class Reader(threading.Thread):
    """Reads pages, pictures and comments until it is told to stop. Notes each request that fails."""

    def __init__(self, address):
        super().__init__()
        self.address, self.ends, self.failures, self.count = address, threading.Event(), [], 0

    def run(self):
        while not self.ends.is_set():
            with contextlib.suppress(Failure):
                self.read_once()

    def read_once(self):
        items = json.loads(self.get("/v1/feed?limit=10"))["items"]
        for item in items:
            if self.ends.is_set():
                return
            self.get(f"/v1/image/{item['id']}/data?w=160")
            self.get(f"/v1/image/{item['id']}/comments")

    def get(self, path):
        self.count += 1
        try:
            return fetch(f"http://{self.address}{path}")
        except Failure as error:
            self.failures.append(str(error))
            raise


class Writer(threading.Thread):
    """Posts comments with different texts until it is told to stop. Notes what was acknowledged."""

    def __init__(self, address, image):
        super().__init__()
        self.url = f"http://{address}/v1/image/{image}/comments"
        self.ends, self.sent, self.acknowledged, self.progress = threading.Event(), [], [], threading.Condition()

    def run(self):
        while not self.ends.is_set():
            text = str(uuid.uuid4())
            self.sent.append(text)
            with contextlib.suppress(Failure):
                fetch(self.url, urllib.parse.urlencode({"username": "ana", "message": text}).encode(), TOKEN)
                with self.progress:
                    self.acknowledged.append(text)
                    self.progress.notify_all()

    def await_writes(self, count):
        with self.progress:
            target = len(self.acknowledged) + count
            self.progress.wait_for(lambda: len(self.acknowledged) >= target)


@contextlib.contextmanager
def running(*threads):
    for thread in threads:
        thread.start()
    try:
        yield threads
    finally:
        for thread in threads:
            thread.ends.set()
        for thread in threads:
            thread.join()


def comments(address, image):
    items = json.loads(fetch(f"http://{address}/v1/image/{image}/comments"))["items"]
    return [comment["message"] for comment in items]


def secret():
    """The Secret as the document says to create it."""
    [command] = re.findall(r"kubectl create secret .*", (MANIFESTS / "README.md").read_text())
    for value in (PASSWORD, TOKEN):
        command = command.replace("…", value, 1)
    return yaml.safe_load(run(*command.split(), "--dry-run=client", "--output=yaml"))


@pytest.fixture(scope="module")
def databases(cluster):
    """A primary and its standby."""
    primary = Database(cluster.directory / "primary", cluster.address(), PASSWORD).make()
    try:
        standby = primary.standby(cluster.directory / "standby", cluster.address())
        try:
            yield primary, standby
        finally:
            standby.kill()
    finally:
        # A test may have done so.
        with contextlib.suppress(AssertionError):
            primary.kill()


@pytest.fixture(scope="module")
def origin_overlay(cluster, parts, databases):
    store = "postgres://feed@database-a,database-b/feed?target_session_attrs=read-write&connect_timeout=3"
    primary, standby = databases
    cluster.name_hosts({"database-a": primary.address, "database-b": standby.address})
    return cluster.overlay("origin", "origin", {"services": {"store": store}, "gateway": {"http": "[::]:8080"}})


def test_an_origin_without_its_secret_says_so_and_gets_no_readers(cluster, origin_overlay):
    pod = cluster.play("origin-without-secret", origin_overlay)
    [gateway, *_] = pod.spec["containers"]
    line = r"error feed: .* cannot use the database postgres://feed@.*: no password supplied; check the server, and the URL, user and password"
    eventually(lambda: re.search(line, pod.log("feed")))
    eventually(lambda: pod.passes(gateway, "livenessProbe"))
    assert not pod.passes(gateway, "startupProbe") and not pod.passes(gateway, "readinessProbe")
    pod.kill()


class Stack:
    """Two origins over a database with a standby, three edges, and the two services in front of them."""

    def __init__(self, cluster, programs, databases, origin_overlay):
        self.cluster = cluster
        self.primary, self.standby = databases
        self.origin, self.edge = cluster.address(), cluster.address()
        cluster.name_hosts(
            {"database-a": self.primary.address, "database-b": self.standby.address, "image-feed-origin": self.origin})
        # As podman 4.3 reads the Secrets of variables.
        run("podman", "secret", "create", "image-feed", "-", input=json.dumps(secret()["data"]))
        self.origins = [cluster.play(f"origin-{number}", origin_overlay) for number in (1, 2)]
        for pod in self.origins:
            pod.await_ready()
        publish(programs, self.origins[0], PROJECT / "deploy/sample")
        self.edges = []
        self.serve()
        self.edges = [self.play_edge(f"edge-{number}", "edge") for number in (1, 2, 3)]
        for pod in self.edges:
            pod.await_ready()
        self.serve()

    def play_edge(self, name, overlay):
        directory = self.cluster.directory / overlay
        if not directory.exists():
            self.cluster.overlay(overlay, "edge", tag="second" if overlay == "edge-second" else "latest")
        return self.cluster.play(name, directory)

    def serve(self):
        self.cluster.serve({self.origin: self.origins, self.edge: self.edges})


@pytest.fixture(scope="module")
def stack(cluster, programs, databases, origin_overlay):
    return Stack(cluster, programs, databases, origin_overlay)


def test_edges_show_what_either_origin_has(stack):
    items = feed(stack.origin)
    assert len(items) == 24
    assert [item["id"] for item in feed(stack.edge)] == [item["id"] for item in items]
    fetch(f"http://{stack.origins[1].address}:8080/v1/image/{items[0]['id']}/comments", b"username=ana&message=Light", TOKEN)
    assert "Light" in comments(stack.edge, items[0]["id"])
    assert "Light" in comments(f"{stack.origins[0].address}:8080", items[0]["id"])


def test_the_password_is_in_no_log_and_in_no_process_list(stack):
    lists = run("ps", "axww", "-o", "args")
    logs = "".join(pod.log(name) for pod in stack.origins for name in ("gateway", "feed", "comments", "image-data", "search"))
    assert PASSWORD not in lists + logs and TOKEN not in lists + logs


def test_no_request_fails_while_the_edges_get_a_new_image(stack):
    run("podman", "tag", "localhost/image-feed:latest", "localhost/image-feed:second")
    with running(Reader(stack.edge), Reader(stack.edge)) as readers:
        for number, old in enumerate(list(stack.edges), 4):
            new = stack.play_edge(f"edge-{number}", "edge-second").await_ready()
            stack.edges.append(new)
            stack.serve()
            # From here on proxies hand on nothing to it. They knew it when it was told to end.
            stack.edges.remove(old)
            stack.serve()
            old.stop()
    assert [reader.failures for reader in readers] == [[], []]
    assert all(reader.count > 0 for reader in readers)


def test_a_killed_container_comes_back(stack):
    victim = stack.edges[0]
    for name in ("feed", "gateway"):
        before = victim.process(name)
        os.kill(before, signal.SIGKILL)
        eventually(lambda: victim.process(name) not in (0, before))
        victim.await_ready()
        assert len(feed(f"{victim.address}:8080")) == 24


def test_nothing_acknowledged_is_lost_when_a_standby_is_promoted(stack):
    image = feed(stack.origin)[1]["id"]
    before = set(comments(stack.origin, image))
    with running(*(Writer(stack.origin, image) for _ in range(4))) as writers:
        writers[0].await_writes(20)
        stack.primary.kill()
        eventually(lambda: not any(pod.is_ready() for pod in stack.origins))
        # Edges have their caches.
        assert all(pod.is_ready() for pod in stack.edges)
        stack.standby.promote()
        # Both origins find the new primary by themselves.
        for writer in writers:
            writer.await_writes(20)
    for pod in stack.origins:
        pod.await_ready()
    stored = comments(stack.origin, image)
    assert {text for writer in writers for text in writer.acknowledged} <= set(stored)
    assert len(set(stored)) == len(stored)
    assert set(stored) - before <= {text for writer in writers for text in writer.sent}


def test_edges_serve_without_origin(stack):
    items = feed(stack.edge)
    for pod in stack.edges:
        assert len(feed(f"{pod.address}:8080")) == len(items)
        for item in items[:10]:
            fetch(f"http://{pod.address}:8080/v1/image/{item['id']}/data?w=160")
            fetch(f"http://{pod.address}:8080/v1/image/{item['id']}/comments")
    for pod in list(stack.origins):
        pod.kill()
    stack.origins.clear()
    stack.serve()
    with running(Reader(stack.edge)) as [reader]:
        eventually(lambda: reader.count >= 100)
    assert reader.failures == []
    assert all(pod.is_ready() for pod in stack.edges)
    assert [item["id"] for item in feed(stack.edge)] == [item["id"] for item in items]
    # A program that starts again has the caches of its pod. A new pod has none, and gets no readers.
    victim = stack.edges[0]
    before = victim.process("gateway")
    os.kill(before, signal.SIGKILL)
    eventually(lambda: victim.process("gateway") not in (0, before))
    victim.await_ready()
    new = stack.play_edge("edge-without-origin", "edge-second")
    [gateway, *_] = new.spec["containers"]
    eventually(lambda: new.passes(gateway, "readinessProbe"))
    assert not new.passes(gateway, "startupProbe")
