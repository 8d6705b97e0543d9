"""The units of deploy/systemd, as an operator uses them. The tests run in this order, on one deployment."""

import contextlib
import json
import re
import socket
import subprocess
import threading
import urllib.request

import pytest

ROOT = "/srv/my photos"
OWNER = "feed"
PROGRAMS = ["feed", "comments", "image-data", "gateway"]


@pytest.fixture(scope="session")
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="session", autouse=True)
def deployment(machine, port):
    machine.run("useradd", "--create-home", OWNER)
    up(machine, "--systemd", "--user", OWNER, "--http-port", str(port))


def up(machine, *options):
    # A slow machine may need any time.
    return machine.run("/opt/image-feed/deploy/up", "--root", ROOT, "--bin", "/opt/programs", "--wait", "600", *options)


def down(machine):
    return machine.run("/opt/image-feed/deploy/down", "--root", ROOT)


def instance(machine):
    return machine.run("systemd-escape", "--path", ROOT).stdout.strip()


def unit(machine, program):
    return f"image-feed-{program}@{instance(machine)}.service"


def property_of(machine, program, name):
    return machine.run("systemctl", "show", "--property", name, "--value", unit(machine, program)).stdout.strip()


def process(machine, program):
    return property_of(machine, program, "MainPID")


def signal(machine, name, process):
    # A bare Debian has only the shell's `kill`.
    machine.run("sh", "-c", f"kill -{name} {process}")


def read(port):
    """A page over a connection of its own."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/feed?limit=1") as answer:
        return json.load(answer)["items"]


def is_usable(machine):
    outcome = machine.run(f"{ROOT}/bin/gateway", "health", "--usable", "--wait", "600", "--root", ROOT, user=OWNER, check=False)
    return outcome.returncode == 0


@contextlib.contextmanager
def restart(machine, program):
    """What is done inside makes systemd start the program again. Returns when it serves, in another process."""
    before = process(machine, program)
    last = machine.run("journalctl", "-n", "1", "--show-cursor", "-o", "cat").stdout
    yield before
    cursor = re.search("-- cursor: (.*)", last)[1]
    with machine.start("journalctl", "--after-cursor", cursor, "--follow", "-u", unit(machine, program), "-t", program, "-o", "cat") as log:
        for line in log.stdout:
            if line.startswith("serving on "):
                break
        log.kill()
    assert process(machine, program) != before
    assert is_usable(machine)


class Reader:
    """Reads pages, one after the other, each over a connection of its own."""

    def __init__(self, port):
        self.port = port
        self.read = 0
        self.failures = []
        self.changes = threading.Condition()
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ends.is_set():
            try:
                assert read(self.port)
                failure = []
            except Exception as error:
                failure = [repr(error)]
            with self.changes:
                self.failures += failure
                self.read += not failure
                self.changes.notify()

    def wait_for_pages(self, count):
        """Returns after so many further pages, or a failure."""
        with self.changes:
            end = self.read + count
            self.changes.wait_for(lambda: self.read >= end or self.failures)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()


def test_a_bare_debian_serves_the_sample(machine, port):
    assert read(port)
    for program in PROGRAMS:
        assert property_of(machine, program, "ActiveState") == "active"
        assert property_of(machine, program, "User") == OWNER
    # The command of the documents.
    parts = machine.run("systemctl", "list-dependencies", "--plain", f"image-feed@{instance(machine)}.target").stdout
    assert all(unit(machine, program) in parts for program in PROGRAMS)
    assert "0 loaded units" in machine.run("systemctl", "--failed").stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_unit_is_exposed_little(machine, program):
    report = machine.run("systemd-analyze", "security", "--no-pager", unit(machine, program)).stdout
    exposure = float(re.search(r"Overall exposure level for .*: ([0-9.]+)", report)[1])
    assert exposure <= 2.0, report


def test_it_serves_after_a_restart_of_the_machine(machine, port):
    shown = read(port)
    machine.reboot()
    assert is_usable(machine)
    assert read(port) == shown


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_killed_program_is_started_again(machine, port, program):
    with restart(machine, program) as before:
        signal(machine, "KILL", before)
    assert read(port)


def test_a_program_that_hangs_is_killed_and_started_again(machine, port):
    with restart(machine, "comments") as before:
        signal(machine, "STOP", before)


def test_no_reader_is_refused_while_programs_start_again(machine, port):
    with Reader(port) as reader:
        for program in ["gateway", "feed", "gateway"]:
            before = process(machine, program)
            machine.run("systemctl", "restart", unit(machine, program))
            assert process(machine, program) != before
            assert is_usable(machine)
        reader.wait_for_pages(3)
    assert not reader.failures


def test_new_programs_are_installed_under_load_and_taken_back(machine, port):
    before = {program: process(machine, program) for program in PROGRAMS}
    for file in machine.programs.glob("*-service"):
        # Another program that does the same.
        subprocess.run(["objcopy", "--add-section", f".note.test={__file__}", file], check=True)
    with Reader(port) as reader:
        up(machine)
        changed = {program for program in PROGRAMS if process(machine, program) != before[program]}
        assert changed == {"feed", "comments", "image-data"}
        machine.run("/opt/image-feed/deploy/up", "--root", ROOT, "--wait", "600", "--back")
    assert reader.read and not reader.failures


def test_drop_ins_of_the_operator_stay_and_a_second_start_changes_nothing(machine, port):
    place = f"/etc/systemd/system/{unit(machine, 'feed')}.d/override.conf"
    machine.run("sh", "-c", 'printf "[Service]\\nNice=5\\n" > "$1"', "sh", place)
    machine.run("systemctl", "daemon-reload")
    up(machine)
    before = {program: process(machine, program) for program in PROGRAMS}
    up(machine)
    assert {program: process(machine, program) for program in PROGRAMS} == before
    assert property_of(machine, "feed", "Nice") == "5"


def test_without_http_the_port_is_closed_and_with_it_open_again(machine, port):
    machine.run(f"{ROOT}/bin/gateway", "config", "set", "gateway.http", "off", "--root", ROOT, user=OWNER)
    up(machine)
    with pytest.raises(OSError):
        read(port)
    up(machine, "--http-port", str(port))
    assert read(port)


def test_everything_in_run_may_be_deleted(machine, port):
    machine.run("rm", "-rf", f"{ROOT}/run")
    with restart(machine, "feed") as before:
        signal(machine, "KILL", before)
    assert read(port)
    machine.run("rm", "-rf", f"{ROOT}/run")
    machine.reboot()
    assert is_usable(machine)
    machine.run("rm", "-rf", f"{ROOT}/run")
    up(machine)
    assert is_usable(machine)
    assert read(port)


def test_the_journal_has_levels_and_fields(machine):
    lines = machine.run("journalctl", "-u", unit(machine, "feed"), "-t", "feed", "-o", "json").stdout.splitlines()
    entries = [json.loads(line) for line in lines]
    assert [entry for entry in entries if entry["MESSAGE"].startswith("serving on ") and entry["PRIORITY"] == "6"]


def test_a_stopped_deployment_stays_stopped_until_it_is_started(machine, port):
    down(machine)
    for program in PROGRAMS:
        assert property_of(machine, program, "ActiveState") in ("inactive", "failed")
    machine.reboot()
    with pytest.raises(OSError):
        read(port)
    up(machine)
    assert read(port)


def test_a_program_with_wrong_settings_is_not_started_again_until_they_are_right(machine, port):
    machine.run("sh", "-c", f"echo '{{\"comments\": {{\"nonsense\": 1}}}}' > '{ROOT}/config.json'")
    machine.run("systemctl", "restart", unit(machine, "comments"), check=False)
    assert property_of(machine, "comments", "ActiveState") == "failed"
    assert property_of(machine, "comments", "ExecMainStatus") == "78"
    assert "nonsense" in machine.run("journalctl", "-u", unit(machine, "comments"), "-n", "20").stdout
    assert read(port)
    machine.run("cp", f"{ROOT}/config.json.applied", f"{ROOT}/config.json")
    up(machine)
    assert property_of(machine, "comments", "ActiveState") == "active"


def test_a_user_runs_it_without_root(machine):
    user = "reader"
    machine.run("useradd", "--create-home", user)
    machine.run("loginctl", "enable-linger", user)
    number = machine.run("id", "-u", user).stdout.strip()
    environment = {"XDG_RUNTIME_DIR": f"/run/user/{number}"}
    machine.run("systemctl", "start", f"user@{number}.service")
    script = ["/opt/image-feed/deploy/up", "--systemd", "--bin", "/opt/programs", "--http-port", "0", "--wait", "600"]
    machine.run(*script, user=user, **environment)
    root = f"/home/{user}/.local/share/image-feed"
    name = machine.run("systemd-escape", "--path", root).stdout.strip()
    state = ["systemctl", "--user", "is-active", f"image-feed-feed@{name}.service"]
    assert machine.run(*state, user=user, **environment).stdout == "active\n"
    machine.run("/opt/image-feed/deploy/down", user=user, **environment)
    assert machine.run(*state, user=user, check=False, **environment).stdout == "inactive\n"


def test_it_returns_to_supervisord_when_all_else_is_right(machine, port):
    refused = machine.run(
        "/opt/image-feed/deploy/up", "--root", ROOT, "--bin", "/opt/programs", "--no-systemd", "--deny-upstream", "garbage", check=False)
    assert refused.returncode == 78
    assert property_of(machine, "feed", "ActiveState") == "active"
    up(machine, "--no-systemd")
    assert read(port)
    assert property_of(machine, "feed", "ActiveState") == "inactive"
    down(machine)
