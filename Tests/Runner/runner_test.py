#!/usr/bin/env python3
"""Tests of deploy/runner. Usage: python3 Tests/Runner/runner_test.py"""
import base64
import importlib.machinery
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
import xmlrpc.client

PATH = os.path.dirname(os.path.abspath(__file__)) + "/../../deploy/runner"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("runner", PATH)
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
loader.exec_module(runner)
lines = []
runner.log = lambda level, message: lines.append(message)


class Supervisor:
    """A supervisord whose programs need some time to stop."""

    def __init__(self, root):
        self.root, self.running, self.stopping, self.calls = root, {}, set(), []

    def sections(self):
        folder = self.root + "/supervisord.d"
        return {"plugin-" + name[:-5]: runner.text_of(folder + "/" + name) for name in os.listdir(folder)
                if name.endswith(".conf")}

    def reloadConfig(self):
        wanted = self.sections()
        changed = [name for name in wanted if name in self.running and self.running[name] != wanted[name]]
        return [[sorted(set(wanted) - set(self.running)), changed, sorted(set(self.running) - set(wanted) - {"feed"})]]

    def stopProcessGroup(self, name, wait):
        self.calls.append("stop " + name)

    def removeProcessGroup(self, name):
        if name in self.stopping:
            raise xmlrpc.client.Fault(91, "STILL_RUNNING")
        del self.running[name]

    def addProcessGroup(self, name):
        self.calls.append("add " + name)
        self.running[name] = self.sections()[name]

    def getPID(self):
        return 1


class RunnerTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name + "/a root"
        os.makedirs(self.root + "/plugins.d")
        self.decide()
        self.runner = runner.Runner(self.root)
        self.supervisor = self.runner.supervisor = Supervisor(self.root)
        self.clock = types.SimpleNamespace(sleep=self.tick)
        patch = unittest.mock.patch.object(runner, "time", self.clock)
        patch.start()
        self.addCleanup(patch.stop)

    def tick(self, seconds):
        """Instead of a pause: returns when the next change of a file has a later time than all before."""
        path = self.root + "/tick"
        open(path, "w").close()
        before = os.stat(path).st_mtime_ns
        while os.stat(path).st_mtime_ns == before:
            os.utime(path)

    def write(self, name, run=None):
        """Writes a manifest, which the gateway reads."""
        manifest = {"name": name, "socket": name + ".sock", "contracts": {}, **({"run": run} if run else {})}
        path = "%s/plugins.d/%s.json" % (self.root, name)
        with open(path, "w") as file:
            file.write(json.dumps(manifest))
        self.decide(manifests={**self.manifests, name: manifest})
        return path

    def remove(self, name):
        os.unlink("%s/plugins.d/%s.json" % (self.root, name))
        self.decide(manifests={key: value for key, value in self.manifests.items() if key != name})

    def decide(self, manifests={}, refused=[], then=""):
        """Sets what `gateway manifests` prints. It notes each call."""
        self.manifests = manifests
        answer = json.dumps({"manifests": list(manifests.values()), "refused": refused})
        os.makedirs(self.root + "/bin", exist_ok=True)
        program = self.root + "/bin/gateway"
        with open(program, "w") as file:
            file.write("#!/bin/sh\necho \"$@\" >>'%s/asked'\ncat <<'END'\n%s\nEND\n%s\n" % (self.root, answer, then))
        os.chmod(program, 0o700)

    def asked(self):
        """The calls since the last time."""
        path = self.root + "/asked"
        if not os.path.exists(path):
            return []
        calls = runner.text_of(path).splitlines()
        os.unlink(path)
        return calls

    def look(self):
        self.supervisor.calls.clear()
        self.runner.look()
        return self.supervisor.calls

    def test_a_manifest_with_run_is_added_once(self):
        self.write("likes", ["./likes.py"])
        self.write("other")
        self.assertEqual(self.look(), ["add plugin-likes"])
        self.assertEqual(self.look(), [])
        self.assertIn("stdout_logfile=%s/log/likes.log\n" % self.root, self.supervisor.running["plugin-likes"])

    def test_the_gateway_is_asked_only_when_a_file_has_changed(self):
        path = self.write("likes", ["./likes.py"])
        self.look()
        self.assertEqual(self.asked(), ["manifests --root " + self.root])
        self.write("notes.txt")
        os.unlink(self.root + "/plugins.d/notes.txt.json")
        with open(self.root + "/plugins.d/likes.db", "w"):  # a plugin may store something beside its manifest
            pass
        self.look()
        self.assertEqual(self.asked(), [])
        status = os.stat(path)
        for change in (
            lambda: open(self.root + "/plugins.in-force", "w").close(),
            lambda: os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns)),  # the size and the time are as before
            lambda: os.chmod(path, 0o666),
            lambda: os.rename(path, path + ".json"),
            lambda: os.rename(self.root + "/plugins.d", self.root + "/old"),
        ):
            change()
            self.look()
            self.assertEqual(len(self.asked()), 1)
            self.look()
            self.assertEqual(self.asked(), [])

    def test_the_target_of_a_link_counts(self):
        os.symlink(self.root + "/original", self.root + "/plugins.d/likes.json")
        for text in ("a", "b"):
            with open(self.root + "/original", "w") as file:
                file.write(text)
            self.look()
            self.assertEqual(len(self.asked()), 1)

    def test_files_that_are_still_being_changed_are_looked_at_again(self):
        path = self.write("likes", ["./likes.py"])
        numbers = itertools.count()
        self.clock.sleep = lambda seconds: os.utime(path, (0, next(numbers)))
        self.look()
        self.look()
        self.assertEqual(len(self.asked()), 2)

    def test_a_gateway_that_fails_is_asked_again_and_changes_nothing(self):
        self.write("likes", ["./likes.py"])
        self.look()
        self.remove("likes")
        self.decide(then="echo no disk >&2; exit 1")
        for _ in range(2):
            with self.assertRaisesRegex(OSError, "gateway manifests ended with 1: no disk"):
                self.look()
        self.assertEqual(list(self.supervisor.running), ["plugin-likes"])
        self.decide()
        self.assertEqual(self.look(), ["stop plugin-likes"])

    def test_refused_manifests_are_logged_once(self):
        refused = {"name": "a", "file": "/a.json", "line": 2, "reason": "is wrong"}
        path = self.write("likes")
        for number in range(2):
            os.utime(path, (number, number))
            self.decide(refused=[refused, {"name": "b", "file": "/b.json", "reason": "is wrong too"}])
            lines.clear()
            self.look()
            self.assertEqual(lines, [] if number else ["/a.json:2: is wrong", "/b.json: is wrong too"])

    def test_a_changed_run_restarts_and_another_change_does_not(self):
        path = self.write("likes", ["./likes.py"])
        self.look()
        os.utime(path)
        self.decide(manifests={"likes": {**self.manifests["likes"], "required": True}})
        self.assertEqual(self.look(), [])
        self.write("likes", ["./likes.py", "--fast"])
        self.assertEqual(self.look(), ["stop plugin-likes", "add plugin-likes"])

    def test_a_manifest_that_disappears_or_has_no_run_any_more_is_stopped(self):
        self.write("likes", ["./likes.py"])
        self.write("places", ["./places"])
        self.look()
        self.write("likes")
        self.remove("places")
        self.assertEqual(self.look(), ["stop plugin-likes", "stop plugin-places"])
        self.assertEqual(self.supervisor.running, {})

    def test_a_program_that_takes_long_to_stop_is_removed_later(self):
        self.write("likes", ["./likes.py"])
        self.look()
        self.supervisor.stopping.add("plugin-likes")
        self.remove("likes")
        self.look()
        self.assertIn("plugin-likes", self.supervisor.running)
        self.supervisor.stopping.clear()
        self.look()
        self.assertEqual(self.supervisor.running, {})
        self.assertEqual(self.look(), [])

    def test_a_change_counts_although_a_later_one_fails(self):
        self.assertEqual(self.look(), [])
        self.write("a", ["/bin/true"])
        self.write("b", ["/bin/true"])
        os.makedirs(self.root + "/supervisord.d/b.conf.new")  # the section of b cannot be written
        with self.assertRaises(OSError):
            self.runner.look()
        self.remove("b")
        self.assertEqual(self.look(), ["add plugin-a"])

    def test_a_runner_that_was_killed_before_it_told_supervisord_does_so_when_it_is_started(self):
        self.write("likes", ["./likes.py"])
        self.runner.supervisor = None
        with self.assertRaises(AttributeError):
            self.runner.look()
        self.runner = runner.Runner(self.root)
        self.runner.supervisor = self.supervisor
        self.assertEqual(self.look(), ["add plugin-likes"])

    def test_programs_that_are_no_plugins_are_not_touched(self):
        self.supervisor.running["feed"] = ""
        self.write("likes", ["./likes.py"])
        self.look()
        self.assertIn("feed", self.supervisor.running)

    def run_program(self, name, run):
        words = base64.b64encode(json.dumps(run).encode()).decode()
        return subprocess.run(
            [sys.executable, PATH, "--root", self.root, "--exec", name], capture_output=True, text=True,
            env={**os.environ, "PLUGIN_RUN": words},
        )

    def test_the_section_has_the_words_of_the_program(self):
        run = ["./likes.py", "%(here)s ; \"$HOME\"", "\u00e9\n"]
        self.write("likes", run)
        self.look()
        section = self.supervisor.running["plugin-likes"]
        words = section.split('PLUGIN_RUN="')[1].split('"')[0]
        self.assertEqual(json.loads(base64.b64decode(words)), run)

    def test_the_program_runs_beside_its_manifest_with_root_in_its_environment(self):
        script = self.root + "/plugins.d/show.sh"
        with open(script, "w") as file:
            file.write("#!/bin/sh\necho $PWD $ROOT $1 $PLUGIN_RUN\n")
        os.chmod(script, 0o700)
        expected = "%s/plugins.d %s a b\n" % (self.root, self.root)
        for run in (["./show.sh", "a b"], ["show.sh", "a b"], ["sh", "show.sh", "a b"]):
            self.assertEqual(self.run_program("show", run).stdout, expected)

    def test_a_program_that_cannot_be_executed_is_named(self):
        outcome = self.run_program("likes", ["./absent"])
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("run: cannot execute ./absent: No such file or directory", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
