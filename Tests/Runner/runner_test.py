#!/usr/bin/env python3
"""Tests of deploy/runner. Usage: python3 Tests/Runner/runner_test.py"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xmlrpc.client

PATH = os.path.dirname(os.path.abspath(__file__)) + "/../../deploy/runner"
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("runner", PATH)
runner = importlib.util.module_from_spec(importlib.util.spec_from_loader("runner", loader))
loader.exec_module(runner)
runner.log = lambda level, message: None


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
        self.runner = runner.Runner(self.root)
        self.supervisor = self.runner.supervisor = Supervisor(self.root)

    def write(self, name, run=None, text=None):
        manifest = {"name": name, "socket": name + ".sock", "contracts": {}, **({"run": run} if run else {})}
        path = "%s/plugins.d/%s.json" % (self.root, name)
        with open(path, "w") as file:
            file.write(text or json.dumps(manifest))
        return path

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

    def test_a_changed_run_restarts_and_another_change_does_not(self):
        path = self.write("likes", ["./likes.py"])
        self.look()
        with open(path) as file:
            manifest = json.load(file)
        self.write("likes", text=json.dumps({**manifest, "required": True}))
        self.assertEqual(self.look(), [])
        self.write("likes", ["./likes.py", "--fast"])
        self.assertEqual(self.look(), ["stop plugin-likes", "add plugin-likes"])

    def test_a_manifest_that_disappears_or_has_no_run_any_more_is_stopped(self):
        self.write("likes", ["./likes.py"])
        path = self.write("places", ["./places"])
        self.look()
        self.write("likes")
        os.unlink(path)
        self.assertEqual(self.look(), ["stop plugin-likes", "stop plugin-places"])
        self.assertEqual(self.supervisor.running, {})

    def test_a_program_that_takes_long_to_stop_is_removed_later(self):
        path = self.write("likes", ["./likes.py"])
        self.look()
        self.supervisor.stopping.add("plugin-likes")
        os.unlink(path)
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
        os.remove(self.root + "/plugins.d/b.json")
        self.assertEqual(self.look(), ["add plugin-a"])

    def test_an_invalid_manifest_changes_nothing(self):
        self.write("likes", ["./likes.py"])
        self.look()
        self.write("likes", text="{")
        self.assertEqual(self.look(), [])
        self.assertIn("plugin-likes", self.supervisor.running)

    def test_a_folder_that_cannot_be_read_changes_nothing_and_a_missing_one_stops_all(self):
        self.write("likes", ["./likes.py"])
        self.assertEqual(self.look(), ["add plugin-likes"])
        folder = self.root + "/plugins.d"
        os.rename(folder, folder + "-old")
        with open(folder, "w"):  # as unreadable as a folder without permission, which root can read
            pass
        with self.assertRaises(NotADirectoryError):
            self.look()
        self.assertEqual(list(self.supervisor.running), ["plugin-likes"])
        os.unlink(folder)
        self.assertEqual(self.look(), ["stop plugin-likes"])

    def test_a_link_to_nothing_is_invalid(self):
        self.write("likes", ["./likes.py"])
        self.look()
        path = self.root + "/plugins.d/likes.json"
        os.unlink(path)
        os.symlink("missing", path)
        self.assertEqual(self.look(), [])
        self.assertIn(path, self.runner.complaints)

    def test_programs_that_are_no_plugins_are_not_touched(self):
        self.supervisor.running["feed"] = ""
        self.write("likes", ["./likes.py"])
        self.look()
        self.assertIn("feed", self.supervisor.running)

    def test_what_cannot_be_run_is_refused(self):
        for name, text in [
            ("feed", '{"name":"feed","run":["a"]}'),
            ("likes", '{"name":"other","run":["a"]}'),
            ("likes", '{"name":"likes","run":[]}'),
            ("likes", '{"name":"likes","run":"a"}'),
            ("likes", '{"name":"likes","run":[1]}'),
            ("likes", '{"name":"likes","run":["a\\u0000"]}'),
            ("likes", '{"name":"likes","run":["a\\ud800"]}'),
            ("likes", json.dumps({"name": "likes", "run": ["a"] * (runner.WORDS + 1)})),
            ("likes", '{"name":"likes","run":["a"]}' + " " * runner.MANIFEST_LIMIT),
            ("likes", "[" * 60000),
            ("likes", "\x00"),
        ]:
            with self.assertRaises(runner.Invalid, msg=text[:40]):
                runner.read(self.write(name, text=text))
        self.assertEqual(len(runner.read(self.write("likes", ["a"] * runner.WORDS))), runner.WORDS)

    def test_what_is_no_file_or_can_be_changed_by_others_is_refused(self):
        folder = self.root + "/plugins.d"
        os.mkfifo(folder + "/fifo.json")
        os.mkdir(folder + "/folder.json")
        os.symlink("loop.json", folder + "/loop.json")
        os.chmod(self.write("open", ["a"]), 0o666)
        for name in ("fifo", "folder", "loop", "open", "absent"):
            with self.assertRaises(runner.Invalid, msg=name):
                runner.read("%s/%s.json" % (folder, name))

    def run_program(self, name):
        return subprocess.run(
            [sys.executable, PATH, "--root", self.root, "--exec", name], capture_output=True, text=True
        )

    def test_the_program_runs_beside_its_manifest_with_root_in_its_environment(self):
        script = self.root + "/plugins.d/show.sh"
        with open(script, "w") as file:
            file.write("#!/bin/sh\necho $PWD $ROOT $1\n")
        os.chmod(script, 0o700)
        expected = "%s/plugins.d %s a b\n" % (self.root, self.root)
        for run in (["./show.sh", "a b"], ["show.sh", "a b"], ["sh", "show.sh", "a b"]):
            self.write("show", run)
            self.assertEqual(self.run_program("show").stdout, expected)

    def test_a_program_that_cannot_be_executed_is_named(self):
        self.write("likes", ["./absent"])
        outcome = self.run_program("likes")
        self.assertEqual(outcome.returncode, 1)
        self.assertIn("run: cannot execute ./absent: No such file or directory", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
