"""A cluster on this machine: podman plays the pods of deploy/kubernetes, each with a network of its own. The tests do what a cluster
does around them: names, services (nginx), probes, rolling updates and the order of a pod's end."""

import copy
import ctypes
import json
import os
import pathlib
import select
import shutil
import subprocess
import time
import urllib.error
import urllib.request

import yaml

HERE = pathlib.Path(__file__).parent
PROJECT = HERE.parents[1]
MANIFESTS = PROJECT / "deploy/kubernetes"
CLONE_NEWNET = 0x40000000
NETWORK = "10.213.0"


def run(*command, **options):
    options = {"capture_output": True, "text": True} | options
    if "input" not in options:
        options["stdin"] = subprocess.DEVNULL
    outcome = subprocess.run(list(map(str, command)), **options)
    assert outcome.returncode == 0, f"{command} exits with {outcome.returncode}:\n{outcome.stdout}\n{outcome.stderr}"
    return outcome.stdout


def rendered(overlay):
    return [document for document in yaml.safe_load_all(run("kubectl", "kustomize", overlay)) if document]


def eventually(condition):
    """Waits, however long a slow machine takes, for what nothing announces."""
    while not (result := condition()):
        time.sleep(0.1)
    return result


def answers(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status == 200
    except (OSError, urllib.error.HTTPError):
        return False


class Cluster:
    """Its network, its names and its services. The pods run where podman starts them."""

    def __init__(self, directory):
        self.directory = directory
        self.pods = []
        # The volumes that exist.
        self.claims = []
        self.proxy = None
        # An isolated network with a bridge, in place of that of the machine.
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "unshare")
        run("ip", "link", "set", "lo", "up")
        # With an address of its own; else that of its ports, which change.
        run("ip", "link", "add", "bridge", "address", "02:00:00:00:00:01", "type", "bridge")
        run("ip", "link", "set", "bridge", "up")
        self.addresses = iter(range(1, 250))
        self.address()
        self.name_hosts({})
        (directory / "containers.conf").write_text(
            f'[containers]\nnetns = "host"\nbase_hosts_file = "{directory}/hosts"\n'
            '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "plain"\n'
            f'[engine.runtimes]\nplain = ["{HERE}/plain-runc"]\n')
        (directory / "storage.conf").write_text(
            f'[storage]\ndriver = "{self.storage_driver()}"\ngraphroot = "{directory}/storage"\nrunroot = "{directory}/run"\n')
        os.environ["CONTAINERS_CONF"] = str(directory / "containers.conf")
        os.environ["CONTAINERS_STORAGE_CONF"] = str(directory / "storage.conf")

    def name_hosts(self, names):
        """The names that pods find, as the name server of a cluster answers them. `names`: addresses by host."""
        (self.directory / "hosts").write_text("".join(f"{address} {host}\n" for host, address in names.items()))

    def storage_driver(self):
        """The quick one where the file system permits it."""
        layers = [self.directory / layer for layer in ("lower", "upper", "work", "merged")]
        for layer in layers:
            layer.mkdir()
        lower, upper, work, merged = layers
        options = f"lowerdir={lower},upperdir={upper},workdir={work}"
        if subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, merged], capture_output=True).returncode:
            return "vfs"
        run("umount", merged)
        return "overlay"

    def address(self):
        """A new address of this network, here."""
        address = f"{NETWORK}.{next(self.addresses)}"
        run("ip", "address", "add", f"{address}/24", "dev", "bridge")
        return address

    def overlay(self, name, base, config=None, tag="latest"):
        """A directory that changes an overlay of ours as an operator would: the settings, and the image."""
        overlay = self.directory / name
        overlay.mkdir()
        content = {
            "resources": [os.path.relpath(MANIFESTS / base, overlay.resolve())],
            "images": [{"name": "localhost/image-feed", "newTag": tag}],
        }
        if config:
            (overlay / "config.json").write_text(json.dumps(config))
            content["configMapGenerator"] = [{"name": "settings", "behavior": "replace", "files": ["config.json"]}]
        (overlay / "kustomization.yaml").write_text(yaml.safe_dump(content))
        return overlay

    def play(self, name, overlay):
        pod = Pod(self, name, rendered(overlay))
        self.pods.append(pod)
        pod.start()
        return pod

    def serve(self, services):
        """Lets nginx hand the requests for addresses on to ready pods, as the services of a cluster do. `services`: pods by address."""
        blocks = []
        for address, pods in services.items():
            name = address.replace(".", "-")
            servers = "".join(f"server {pod.address}:8080;" for pod in pods) or "server 127.0.0.1:1;"
            blocks.append(
                f"upstream u{name} {{ {servers} keepalive 16; }}\n"
                f"server {{ listen {address}:80; location / {{ proxy_pass http://u{name}; proxy_next_upstream off;"
                f' proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }} }}\n')
        proxy = self.directory / "nginx"
        proxy.mkdir(exist_ok=True)
        paths = "".join(
            f"{kind}_temp_path {proxy}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (proxy / "nginx.conf").write_text(
            f"daemon off; user root; worker_processes 1; pid {proxy}/pid; error_log {proxy}/error.log;\n"
            # The streams of events that edges read never end.
            f"worker_shutdown_timeout 5s;\n"
            f"events {{}}\nhttp {{ access_log off; {paths}\n{''.join(blocks)}}}\n")
        command = ["nginx", "-c", str(proxy / "nginx.conf"), "-e", str(proxy / "error.log")]
        if self.proxy is None:
            self.proxy = subprocess.Popen(command, stdin=subprocess.DEVNULL)
            eventually(lambda: (proxy / "pid").exists() and self.workers())
            return
        before = [os.pidfd_open(int(worker)) for worker in self.workers()]
        run(*command, "-s", "reload")
        # nginx starts new workers before it ends the old ones, which first answer what they have accepted.
        for worker in before:
            select.select([worker], [], [])
            os.close(worker)

    def workers(self):
        children = pathlib.Path(f"/proc/{self.proxy.pid}/task/{self.proxy.pid}/children")
        return children.read_text().split()

    def logs(self):
        """The last lines of each container."""
        containers = ((pod, container["name"]) for pod in self.pods for container in pod.spec["containers"])
        return "\n".join(f"{pod.name} {name}:\n" + "".join(pod.log(name).splitlines(True)[-15:]) for pod, name in containers)

    def end(self):
        if self.proxy:
            self.proxy.terminate()
            self.proxy.wait()
        for pod in list(self.pods):
            pod.kill()
        subprocess.run(["podman", "system", "reset", "--force"], stdin=subprocess.DEVNULL, capture_output=True)


class Pod:
    """One pod of a Deployment: what the cluster makes of its template."""

    def __init__(self, cluster, name, documents):
        self.cluster, self.name = cluster, name
        self.address = f"{NETWORK}.{next(cluster.addresses)}"
        [deployment] = [document for document in documents if document["kind"] == "Deployment"]
        self.spec = deployment["spec"]["template"]["spec"]
        pod = {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": deployment["spec"]["template"]["metadata"]["labels"]},
            "spec": self.played()}
        self.file = cluster.directory / f"{name}.yaml"
        others = [d for d in documents if d["kind"] == "ConfigMap" or d["kind"] == "PersistentVolumeClaim" and d not in cluster.claims]
        cluster.claims += [document for document in others if document["kind"] == "PersistentVolumeClaim"]
        self.file.write_text(yaml.safe_dump_all([*others, pod]))

    def played(self):
        """What podman plays. It would publish the ports on this machine, and pods would share empty directories of the same name."""
        spec = copy.deepcopy(self.spec)
        own = {volume["name"]: f"{self.name}-{volume['name']}" for volume in spec["volumes"] if "emptyDir" in volume}
        for container in spec["containers"]:
            container.pop("ports", None)
        for named in (spec["volumes"], *(container["volumeMounts"] for container in spec["containers"])):
            for volume in named:
                volume["name"] = own.get(volume["name"], volume["name"])
        return spec

    def start(self):
        self.network = f"image-feed-{os.getpid()}-{self.name}"
        # Interfaces have short names.
        link = f"pod{self.address.split('.')[-1]}"
        run("ip", "netns", "add", self.network)
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", self.network)
        run("ip", "link", "set", link, "master", "bridge", "up")
        for change in (
            ["link", "set", "lo", "up"], ["address", "add", f"{self.address}/24", "dev", "eth0"], ["link", "set", "eth0", "up"]):
            run("ip", "-n", self.network, *change)
        run("nsenter", f"--net=/run/netns/{self.network}", "podman", "kube", "play", "--network=host", self.file)

    def container(self, name):
        return f"{self.name}-{name}"

    def exec(self, name, *command):
        return run("podman", "exec", self.container(name), *command)

    def is_ready(self):
        """Whether all containers have passed their startup probes, and then their readiness probes, as the kubelet asks them."""
        return all(self.passes(container, probe) for probe in ("startupProbe", "readinessProbe") for container in self.spec["containers"])

    def passes(self, container, kind):
        probe = container.get(kind)
        if probe is None:
            return True
        if "httpGet" in probe:
            [port] = [port for port in container["ports"] if port["name"] == probe["httpGet"]["port"]]
            return answers(f"http://{self.address}:{port['containerPort']}{probe['httpGet']['path']}")
        return subprocess.run(
            ["podman", "exec", self.container(container["name"]), *probe["exec"]["command"]],
            stdin=subprocess.DEVNULL, capture_output=True).returncode == 0

    def await_ready(self):
        eventually(self.is_ready)
        return self

    def stop(self):
        """Ends the pod as a cluster does. Its containers get SIGTERM in the order of the times that they sleep before: the time of the
        gateway is for proxies, which have forgotten the pod, and that of the services for the gateway, which this awaits. Returns the
        containers in this order."""
        containers = sorted(self.spec["containers"], key=lambda container: container["lifecycle"]["preStop"]["sleep"]["seconds"])
        for container in containers:
            run("podman", "stop", "--time", self.spec["terminationGracePeriodSeconds"], self.container(container["name"]))
        self.kill()
        return [container["name"] for container in containers]

    def kill(self):
        subprocess.run(["podman", "pod", "rm", "--force", self.name], stdin=subprocess.DEVNULL, capture_output=True)
        subprocess.run(["ip", "netns", "delete", self.network], capture_output=True)
        if self in self.cluster.pods:
            self.cluster.pods.remove(self)

    def volume(self, path):
        """The directory of a volume on this machine."""
        [mounts] = json.loads(run("podman", "inspect", self.container("gateway"), "--format", "[{{json .Mounts}}]"))
        return pathlib.Path(next(mount["Source"] for mount in mounts if mount["Destination"] == path))

    def process(self, name):
        """The number of a container's process on this machine; 0 if it does not run."""
        return int(run("podman", "inspect", "--format", "{{.State.Pid}}", self.container(name)))

    def log(self, name):
        return subprocess.run(["podman", "logs", self.container(name)], capture_output=True, text=True).stderr


class Database:
    """A PostgreSQL server with one database, `feed`, whose user needs a password."""

    programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), default=None)
    # It refuses to run as root.
    owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]

    def __init__(self, directory, address, password):
        self.directory, self.address, self.password = directory, address, password
        self.environment = os.environ | {"PGPASSWORD": password}

    def as_owner(self, *command, **options):
        return run(*self.owner, *command, cwd="/", stdout=subprocess.DEVNULL, capture_output=False, **options)

    def make(self):
        self.directory.mkdir()
        shutil.chown(self.directory, "postgres", "postgres")
        secret = self.directory / "password"
        secret.write_text(self.password)
        shutil.chown(secret, "postgres")
        self.as_owner(
            self.programs / "initdb", "--pgdata", self.directory / "data", "--username", "feed", "--auth", "scram-sha-256",
            "--pwfile", secret, "--encoding", "UTF8", "--no-sync")
        with open(self.directory / "data/pg_hba.conf", "a") as rules:
            rules.write(f"host all,replication feed {NETWORK}.0/24 scram-sha-256\n")
        self.start()
        self.sql("create database feed", "postgres")
        return self

    def standby(self, directory, address):
        """A second server that has what this one has acknowledged."""
        standby = Database(directory, address, self.password)
        directory.mkdir()
        shutil.chown(directory, "postgres", "postgres")
        self.as_owner(
            self.programs / "pg_basebackup", "--pgdata", directory / "data", "--write-recovery-conf", "--wal-method", "stream",
            "--checkpoint", "fast", "--host", self.address, "--username", "feed", env=self.environment)
        standby.start()
        self.sql("alter system set synchronous_standby_names = '*'")
        self.sql("select pg_reload_conf()")
        eventually(lambda: self.sql("select sync_state from pg_stat_replication") == "sync")
        return standby

    def start(self):
        self.as_owner(
            self.programs / "pg_ctl", "-w", "-D", self.directory / "data", "-l", self.directory / "log",
            "-o", f"-k {self.directory} -c listen_addresses={self.address} -c fsync=off", "start")

    def sql(self, text, database="feed"):
        return run(
            "psql", "-qAt", "-h", self.address, "-U", "feed", "-d", database, "-c", text,
            env=self.environment).strip()

    def kill(self):
        self.as_owner(self.programs / "pg_ctl", "-w", "-D", self.directory / "data", "-m", "immediate", "stop")

    def promote(self):
        self.as_owner(self.programs / "pg_ctl", "-w", "-D", self.directory / "data", "promote")
