import Foundation
import RPCTestKit
import Testing

/// What the watchdog, `deploy/up` and `deploy/down` do after processes were killed or stopped and files were deleted.
@Suite(.timeLimit(.minutes(10))) struct RecoveryTests {
    /// The watchdog looks every five seconds.
    private static let quick = "--limit 8 --back-off 5 --retry-unusable 6"

    @Test func `a service that was stopped is restarted by the watchdog`() async throws {
        try await SupervisedDeployment.with(watchdog: Self.quick) { deployment, _ in
            let before = try await deployment.processes()
            let comments = try #require(before["comments"]?.first)
            kill(comments, SIGSTOP)
            try await SupervisedDeployment.wait { try await deployment.processes()["comments"]?.first != comments }
            try await SupervisedDeployment.wait { try await deployment.isRight() }
            let log = try String(contentsOfFile: deployment.root + "/log/watchdog.log", encoding: .utf8)
            #expect(log.contains("comments (process \(comments)) has not answered for "), "\(log)")
            // Only that one.
            let after = try await deployment.processes()
            for name in ["feed", "image-data", "gateway", "watchdog", "supervisord"] {
                #expect(after[name] == before[name], "\(name)")
            }
        }
    }

    @Test func `a service that was killed until supervisord gave up comes back`() async throws {
        try await SupervisedDeployment.with(watchdog: Self.quick) { deployment, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Beside the asking for the state, which takes long enough on a busy machine for a service to count as started.
                group.addTask {
                    while !Task.isCancelled {
                        for process in try await deployment.processes()["feed"] ?? [] { kill(process, SIGKILL) }
                        await Task.yield()
                    }
                }
                try await SupervisedDeployment.wait { try await deployment.state(of: "feed") == "FATAL" }
                group.cancelAll()
            }
            try await SupervisedDeployment.wait { try await deployment.isRight() }
        }
    }

    @Test func `a service whose store could not be used comes back when it can`() async throws {
        try await SupervisedDeployment.with(watchdog: Self.quick) { deployment, _ in
            #expect(try await deployment.down().status == 0)
            let (data, away) = (deployment.root + "/data/comments.sqlite", deployment.root + "/comments.sqlite")
            try FileManager.default.moveItem(atPath: data, toPath: away)
            try Data("this is not a database, and it is longer than a header".utf8).write(to: URL(filePath: data))
            let refused = try await deployment.up()
            #expect(refused.status == 1)
            #expect(refused.errors.contains("after exit 70 every five minutes"), "\(refused.errors)")
            #expect(refused.errors.contains("start them at once with deploy/up --root "), "\(refused.errors)")

            try FileManager.default.removeItem(atPath: data)
            try FileManager.default.moveItem(atPath: away, toPath: data)
            try await SupervisedDeployment.wait { try await deployment.isRight() }
            let log = try String(contentsOfFile: deployment.root + "/log/watchdog.log", encoding: .utf8)
            #expect(log.contains("comments has exited with 70: starting it again in 6 s"), "\(log)")
        }
    }

    @Test func `the watchdog is restarted, and ends with supervisord`() async throws {
        try await SupervisedDeployment.with { deployment, _ in
            let watchdog = try #require(try await deployment.processes()["watchdog"]?.first)
            kill(watchdog, SIGKILL)
            try await SupervisedDeployment.wait {
                let now = try await deployment.processes()["watchdog"]
                return now?.count == 1 && now?.first != watchdog
            }
            kill(try #require(try await deployment.processes()["supervisord"]?.first), SIGKILL)
            try await SupervisedDeployment.wait { try await deployment.processes()["watchdog"] == nil }
        }
    }

    @Test func `after supervisord was killed, up replaces its programs and keeps the port`() async throws {
        try await SupervisedDeployment.with { deployment, _ in
            let port = "\(try deployment.httpPort())"
            #expect(try await deployment.up("--http-port", port).status == 0)
            let before = try await deployment.processes()
            kill(try #require(before["supervisord"]?.first), SIGKILL)

            let outcome = try await deployment.up("--http-port", port)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try await deployment.isRight())
            let after = try await deployment.processes()
            for name in SupervisedDeployment.names { #expect(after[name] != before[name], "\(name)") }
        }
    }

    @Test(arguments: ["up", "down"])
    func `with ROOT/run deleted, the processes are found`(script: String) async throws {
        try await SupervisedDeployment.with(["--upstream", "http://127.0.0.1:1"]) { deployment, _ in
            let before = try await deployment.processes()
            #expect(before.count == SupervisedDeployment.names.count)
            try FileManager.default.removeItem(atPath: deployment.root + "/run")
            let outcome = try await script == "up" ? deployment.up() : deployment.down()
            for (name, process) in before { #expect(!isAlive(process[0]), "\(name): \(outcome.errors)") }
            if script == "up" {
                // It is still an edge, of an upstream that does not answer.
                #expect(outcome.status == 69 && outcome.errors.contains("remains an edge"), "\(outcome.errors)")
                #expect(try await deployment.processes().count == SupervisedDeployment.names.count)
            } else {
                #expect(outcome.status == 0 && outcome.errors.contains("stopped"), "\(outcome.errors)")
                let again = try await deployment.down()
                #expect(again.status == 0 && again.errors.contains("nothing runs"), "\(again.errors)")
            }
        }
    }

    @Test func `sockets that were deleted are there again after up`() async throws {
        try await SupervisedDeployment.with(watchdog: Self.quick) { deployment, _ in
            for name in ["feed", "gateway", "supervisord"] {
                try FileManager.default.removeItem(atPath: deployment.root + "/run/\(name).sock")
            }
            let outcome = try await deployment.up()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try await deployment.isRight())
        }
    }

    @Test func `a process that only looks like one of ours is left alone`() async throws {
        try await SupervisedDeployment.with { deployment, _ in
            let path = deployment.root + "/bin/feed-service"
            // Its command line; and an open file of the same name, without a lock.
            let other = try Program(path: "/bin/bash").start(
                ["-c", "exec -a '\(path)' sleep 1000 5<'\(deployment.root)/run/feed.sock.lock'"], errors: "/dev/null")
            defer { other.send(SIGKILL) }
            #expect(try await deployment.processes()["feed"]?.count == 1)
            #expect(try await deployment.down().status == 0)
            #expect(other.status == nil)
        }
    }

    /// Another container has the same paths, on other file systems. Making one takes root.
    @Test(.enabled(if: geteuid() == 0))
    func `a process of another mount namespace with the same paths is left alone`() async throws {
        try await SupervisedDeployment.with { deployment, _ in
            let directory = (deployment.root as NSString).deletingLastPathComponent
            let holder = """
                import fcntl, os, sys, time
                for name in ("feed.sock.lock", "gateway.sock.lock"):
                    file = open("\(deployment.root)/run/" + name, "w"); globals()[name] = file
                    fcntl.flock(file, fcntl.LOCK_EX)
                os.unlink("\(deployment.root)/run/feed.sock.lock")
                os.chdir("\(deployment.root)")
                sys.stderr.write("locked"); sys.stderr.flush(); time.sleep(1000)
                """
            let other = try Program(path: "/usr/bin/env").start(
                [
                    "unshare", "-m", "sh", "-c",
                    "mount -t tmpfs tmpfs '\(directory)' && mkdir -p '\(deployment.root)/run' && exec python3 -c '\(holder)'",
                ], errors: nil)
            defer { other.send(SIGKILL) }
            #expect(await other.errors.wait(for: "locked"), "\(other.errors.text)")
            try FileManager.default.removeItem(atPath: deployment.root + "/run")
            #expect(try await deployment.processes()["feed"]?.count == 1)
            #expect(try await deployment.down().status == 0)
            #expect(other.status == nil)
        }
    }

    /// Whatever was killed, stopped or deleted, `up` and `down` end in the right state. The seeds are fixed.
    @Test(arguments: 1...3)
    func `up and down repair whatever was killed, stopped or deleted`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await SupervisedDeployment.with(watchdog: Self.quick) { deployment, _ in
            var seen: Set<Int32> = []
            var steps: [String] = []
            for _ in 0..<6 {
                let processes = try await deployment.processes()
                seen.formUnion(processes.values.joined())
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    steps.append(try damage(deployment, processes, &random))
                }
                let isUp = Int.random(in: 0..<3, using: &random) > 0
                steps.append(isUp ? "up" : "down")
                let outcome = try await isUp ? deployment.up() : deployment.down()
                #expect(outcome.status == 0, "\(steps): \(outcome.errors)")
                let now = try await deployment.processes()
                if isUp {
                    #expect(try await deployment.isRight(), "\(steps): \(now)")
                } else {
                    #expect(now.isEmpty, "\(steps): \(now)")
                }
                let left = seen.subtracting(now.values.joined()).filter(isAlive)
                #expect(left.isEmpty, "\(steps)")
            }
        }
    }

    /// - Returns: what was done.
    private func damage(
        _ deployment: SupervisedDeployment, _ processes: [String: [Int32]], _ random: inout SeededRandom
    ) throws -> String {
        let name = try #require(SupervisedDeployment.names.randomElement(using: &random))
        let what = Int.random(in: 0..<10, using: &random)
        switch what {
        case 0..<6:
            let signal = what < 3 ? SIGKILL : SIGSTOP
            for process in processes[name] ?? [] { kill(process, signal) }
            return (signal == SIGKILL ? "kill " : "stop ") + name
        case 6..<9:
            try? FileManager.default.removeItem(atPath: deployment.root + "/run/\(name).sock")
            return "delete \(name).sock"
        default:
            try? FileManager.default.removeItem(atPath: deployment.root + "/run")
            return "delete run"
        }
    }
}

/// Whether this process runs; one that has ended, but of which its parent has not taken note, does not.
private func isAlive(_ process: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return false }
    return !status.contains("State:\tZ")
}

extension SupervisedDeployment {
    /// The state of a program as supervisord calls it.
    fileprivate func state(of program: String) async throws -> String {
        let outcome = try await Program(path: "/usr/bin/env").run([
            "supervisorctl", "-c", root + "/supervisord.conf", "status", program,
        ])
        return outcome.output.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }
}
