#!/usr/bin/env python3
"""Tests of deploy/watchdog: each limit one second before, at and after it, and random histories of a model.

Usage: watchdog_test.py [SEEDS]    SEEDS: the number of random histories; default: 2000
"""
import contextlib
import importlib.machinery
import importlib.util
import os
import random
import socket
import struct
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/watchdog")
loader = importlib.machinery.SourceFileLoader("watchdog", PATH)
watchdog = importlib.util.module_from_spec(importlib.util.spec_from_loader("watchdog", loader))
loader.exec_module(watchdog)

SEEDS = 2000


def program():
    return watchdog.Program(limit=15, start_limit=300, back_off=30, retry_unusable=300)


class SilenceTests(unittest.TestCase):
    def test_a_program_that_has_answered_is_killed_after_15_seconds_of_silence(self):
        for seconds, killed in [(14, False), (15, True), (16, True)]:
            one = program()
            one.running(1, 100, True)
            one.answered(1, 100)
            self.assertEqual(one.running(1, 100 + seconds, True) is not None, killed, seconds)

    def test_a_program_that_may_be_starting_gets_300_seconds(self):
        for seconds, killed in [(299, False), (300, True), (301, True)]:
            one = program()
            one.running(1, 100, True)
            self.assertEqual(one.running(1, 100 + seconds, True) is not None, killed, seconds)

    def test_a_stopped_program_and_one_that_does_not_listen_get_15(self):
        for seconds, killed in [(14, False), (15, True), (16, True)]:
            one = program()
            one.running(1, 100, False)
            self.assertEqual(one.running(1, 100 + seconds, False) is not None, killed, seconds)

    def test_an_answer_of_an_earlier_process_does_not_count(self):
        one = program()
        one.running(1, 100, True)
        one.running(2, 105, True)
        one.answered(1, 119)
        self.assertFalse(one.has_answered)
        self.assertIsNone(one.running(2, 130, True))

    def test_a_kill_that_had_no_effect_is_repeated_after_the_same_time(self):
        one = program()
        one.running(1, 0, True)
        one.answered(1, 0)
        kills = [now for now in range(0, 60) if one.running(1, now, True) is not None]
        self.assertEqual(kills, [15, 30, 45])

    def test_a_pause_of_the_machine_is_not_silence(self):
        one = program()
        one.running(1, 0, True)
        one.answered(1, 0)
        one.forgive(3600)
        self.assertIsNone(one.running(1, 3614, True))
        self.assertIsNotNone(one.running(1, 3615, True))


class BackOffTests(unittest.TestCase):
    def waits(self, one, code, count):
        now, waits = 0, []
        for _ in range(count):
            self.assertEqual(one.given_up(code, now), "wait")
            began = now
            while one.given_up(code, now) is None:
                now += 1
            waits.append(now - began)
            now += 7
        return waits

    def test_restarts_back_off_to_30_seconds_and_never_end(self):
        self.assertEqual(self.waits(program(), None, 50), [5, 10, 20] + [30] * 47)

    def test_a_program_with_an_unusable_store_is_restarted_every_five_minutes(self):
        self.assertEqual(self.waits(program(), 70, 10), [300] * 10)

    def test_a_run_of_a_minute_resets_the_back_off(self):
        for seconds, wait in [(59, 30), (60, 5), (61, 5)]:
            one = program()
            self.waits(one, 1, 5)
            one.running(1, 1000, True)
            one.answered(1, 1000 + seconds)
            one.running(1, 1000 + seconds, True)
            self.assertEqual(self.waits(one, 1, 1), [wait], seconds)

    def test_a_program_that_was_stopped_on_purpose_is_not_started(self):
        one = program()
        one.given_up(1, 0)
        one.left_alone(is_intended=True)
        self.assertEqual(one.given_up(1, 100), "wait")


class ModelTests(unittest.TestCase):
    """Random histories of one program, which the watchdog checks every five seconds."""

    def test_only_silent_programs_are_killed_and_all_that_ended_are_started(self):
        for seed in range(SEEDS):
            with self.subTest(seed=seed):
                self.history(random.Random(seed))

    def history(self, chance):
        one, now, pid = program(), 0.0, 1
        state, wedged, born, last_answer, ended, code = "running", False, 0.0, None, None, None
        for _ in range(200):
            gap = chance.choice([5, 5, 5, 5, 5.5, 9, 0.1, 60])
            now += gap
            if gap > watchdog.LATE:
                one.forgive(gap)
                born += gap
                last_answer = None if last_answer is None else last_answer + gap
            if state == "running":
                if chance.random() < 0.05:
                    wedged = True
                if not wedged and chance.random() < 0.9:
                    last_answer = now - min(gap, 0.1)
                    one.answered(pid, last_answer) if one.pid == pid else None
                    last_answer = last_answer if one.pid == pid else None
                if one.pid != pid:
                    born, last_answer = now, None
                silence = one.running(pid, now, True)
                expected = now - last_answer if last_answer is not None else now - born
                limit = 15 if last_answer is not None else 300
                self.assertEqual(silence is not None, expected >= limit, (now, expected, limit))
                if silence is not None or chance.random() < 0.05:
                    state, wedged, pid = chance.choice(["running", "ended"]), False, pid + 1
                    code, ended, born, last_answer = chance.choice([None, 1, 69, 70]), None, now, None
            else:
                todo = one.given_up(code, now)
                if ended is None:
                    self.assertEqual(todo, "wait")
                    ended = now
                elif todo == "start":
                    self.assertGreaterEqual(now - ended, 300 if code == 70 else 5)
                    state, ended, born = chance.choice(["running", "ended"]), None, now
                    pid += 1
                else:
                    self.assertIsNone(todo)
                    self.assertLess(now - ended, 300 if code == 70 else 30)


class AskTests(unittest.TestCase):
    """What counts as an answer, over real sockets."""

    def asked(self, reply, timeout=600):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            path = folder + "/s"
            listener.bind(path)
            listener.listen(1)

            def serve():
                peer, _ = listener.accept()
                with peer, contextlib.suppress(BrokenPipeError):
                    peer.recv(4096)
                    for part in reply:
                        peer.sendall(part)
                    if reply and reply[-1] == b"":
                        done.wait()

            done = threading.Event()
            thread = threading.Thread(target=serve)
            thread.start()
            try:
                return watchdog.ask(path, timeout)
            finally:
                done.set()
                thread.join()

    def test_any_whole_frame_is_an_answer(self):
        self.assertEqual(self.asked([struct.pack(">I", 2) + b"{}"]), (True, True))
        self.assertEqual(self.asked([b"\0", b"\0\0", b"\2{", b"}"]), (True, True))

    def test_a_part_of_a_frame_and_a_close_are_none(self):
        self.assertEqual(self.asked([struct.pack(">I", 3) + b"{}"]), (False, True))
        self.assertEqual(self.asked([]), (False, True))

    def test_silence_ends_after_the_time(self):
        self.assertEqual(self.asked([b"\0", b""], timeout=0.01), (False, True))

    def test_a_frame_over_the_limit_is_no_answer(self):
        self.assertEqual(self.asked([struct.pack(">I", watchdog.ANSWER_LIMIT - 3)]), (False, True))

    def test_a_missing_socket_and_one_without_listener_are_told_apart_from_silence(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(watchdog.ask(folder + "/none", 1), (False, False))
            with socket.socket(socket.AF_UNIX) as stale:
                stale.bind(folder + "/stale")
            self.assertEqual(watchdog.ask(folder + "/stale", 1), (False, False))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        SEEDS = int(sys.argv.pop(1))
    unittest.main()
