"""A machine that systemd-nspawn boots from a bare Debian, with systemd as its process 1. It shares the network of this machine."""

import os
import pathlib
import re
import select
import shutil
import socket
import subprocess

PROJECT = pathlib.Path(__file__).parents[2]
# Beside the bare Debian: the manager of a user's services.
PACKAGES = "systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,ca-certificates"


def make_debian(directory):
    """Installs a bare Debian, from where this machine has its packages; or copies that of IMAGE_FEED_DEBIAN."""
    if base := os.environ.get("IMAGE_FEED_DEBIAN"):
        subprocess.run(["cp", "-a", base, directory], check=True)
        return
    uris = subprocess.run(["apt-get", "--print-uris", "-y", "--reinstall", "install", "bash"], capture_output=True, text=True)
    mirror = re.search(r"'?(https?://[^' ]+)/pool/", uris.stdout)
    release = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())[1]
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, directory]
        + ([mirror[1]] if mirror else []), check=True, stdout=subprocess.DEVNULL)
    # How this machine finds its packages.
    shutil.rmtree(directory / "etc/apt")
    shutil.copytree("/etc/apt", directory / "etc/apt", symlinks=True)
    (directory / "etc/resolv.conf").unlink(missing_ok=True)
    shutil.copy("/etc/resolv.conf", directory / "etc/resolv.conf")


def swift_libraries(programs):
    """The folder of the libraries that the programs load from Swift's toolchain."""
    listing = subprocess.run(["ldd", programs / "feed-service"], capture_output=True, text=True, check=True).stdout
    return pathlib.Path(re.search(r"=> (\S+)/libswiftCore\.so", listing)[1])


class Machine:
    def __init__(self, directory, programs):
        self.directory = directory
        self.programs = programs
        self.process = None

    def boot(self):
        self.console = open(self.directory.with_suffix(".console"), "ab")
        address = self.directory.with_suffix(".ready")
        address.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(str(address))
            self.process = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", "--notify-ready=yes",
                 f"--directory={self.directory}", "--console=pipe", f"--bind-ro={PROJECT}:/opt/image-feed",
                 f"--bind={self.programs}:/opt/programs", f"--bind-ro={swift_libraries(self.programs)}"],
                stdin=subprocess.DEVNULL, stdout=self.console, stderr=self.console,
                env=os.environ | {"NOTIFY_SOCKET": str(address)})
            ended = os.pidfd_open(self.process.pid)
            try:
                # systemd says when the machine has booted.
                while ready in select.select([ready, ended], [], [])[0]:
                    if b"READY=1" in ready.recv(4_096).split(b"\n"):
                        return
            finally:
                os.close(ended)
        raise CannotBoot(self.directory.with_suffix(".console").read_text(errors="replace")[-2_000:])

    def shut_down(self):
        if self.process and self.process.poll() is None:
            self.run("systemctl", "poweroff", check=False)
            self.process.wait()

    def reboot(self):
        self.shut_down()
        self.boot()

    @property
    def first_process(self):
        """The number of process 1 of the machine, as this machine sees it."""
        return pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()[0]

    def run(self, *command, user=None, check=True, **environment):
        """Runs a command in the machine."""
        outcome = subprocess.run(
            self.inside(command, user, environment), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if check and outcome.returncode:
            raise AssertionError(f"{command} exits with {outcome.returncode}:\n{outcome.stdout}\n{outcome.stderr}")
        return outcome

    def start(self, *command):
        """Starts a command in the machine, whose output can be read."""
        return subprocess.Popen(
            self.inside(command, None, {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def inside(self, command, user, environment):
        home = f"/home/{user}" if user else "/root"
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        environment = {"PATH": path, "HOME": home, "LC_ALL": "C.UTF-8"} | environment
        change = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--"] if user else []
        return [
            "nsenter", f"--target={self.first_process}", "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--", "/usr/bin/env", "-i",
            *(f"{name}={value}" for name, value in environment.items()), *change, *command]


class CannotBoot(Exception):
    """This machine cannot boot another one in a container."""
