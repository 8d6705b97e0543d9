import Foundation
import RPCTestKit
import Testing

/// The watchdog, `deploy/up` and `deploy/down` after processes were killed or stopped and files were deleted.
@Suite(.timeLimit(.minutes(10))) struct RecoveryTests {
    /// Short times for the watchdog, which checks every five seconds.
    private static let quick = "--limit 8 --back-off 5 --retry-unusable 6"

    @Test func `the watchdog restarts a stopped service`() async throws {
        try await SupervisedDeployment.with(["--empty"], watchdog: Self.quick) { deployment, _ in
            let before = try await deployment.processes()
            let comments = try #require(before["comments"]?.first)
            kill(comments, SIGSTOP)
            try await SupervisedDeployment.wait { try await deployment.processes()["comments"]?.first != comments }
            try await SupervisedDeployment.wait { try await deployment.isRight() }
            let log = try String(contentsOfFile: deployment.root + "/log/watchdog.log", encoding: .utf8)
            #expect(log.contains("comments (process \(comments)) has not answered for "), "\(log)")
            // No other program was restarted.
            let after = try await deployment.processes()
            for name in ["feed", "image-data", "gateway", "watchdog", "supervisord"] {
                #expect(after[name] == before[name], "\(name)")
            }
        }
    }

    @Test func `the watchdog restarts a service that supervisord has given up on`() async throws {
        try await SupervisedDeployment.with(["--empty"], watchdog: Self.quick) { deployment, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                // In parallel with the query of the state. On a busy machine the query takes so long that the service would count
                // as started.
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

    @Test func `a service with an unusable store restarts after the repair`() async throws {
        try await SupervisedDeployment.with(["--empty"], watchdog: Self.quick) { deployment, _ in
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

    @Test func `a killed watchdog is restarted, and it exits with supervisord`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
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

    @Test func `after supervisord was killed, up replaces its programs and uses the same port`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
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
    func `processes are found after ROOT/run was deleted`(script: String) async throws {
        try await SupervisedDeployment.with(["--upstream", "http://127.0.0.1:1"]) { deployment, _ in
            let before = try await deployment.processes()
            #expect(before.count == SupervisedDeployment.names.count)
            try FileManager.default.removeItem(atPath: deployment.root + "/run")
            let outcome = try await script == "up" ? deployment.up() : deployment.down()
            for (name, process) in before { #expect(ProcessIdentity(process[0]) == nil, "\(name): \(outcome.errors)") }
            if script == "up" {
                // It is still an edge whose upstream does not answer.
                #expect(outcome.status == 69 && outcome.errors.contains("remains an edge"), "\(outcome.errors)")
                #expect(try await deployment.processes().count == SupervisedDeployment.names.count)
            } else {
                #expect(outcome.status == 0 && outcome.errors.contains("stopped"), "\(outcome.errors)")
                let again = try await deployment.down()
                #expect(again.status == 0 && again.errors.contains("nothing runs"), "\(again.errors)")
            }
        }
    }

    @Test func `up creates deleted sockets again`() async throws {
        try await SupervisedDeployment.with(["--empty"], watchdog: Self.quick) { deployment, _ in
            for name in ["feed", "gateway", "supervisord"] {
                try FileManager.default.removeItem(atPath: deployment.root + "/run/\(name).sock")
            }
            let outcome = try await deployment.up()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try await deployment.isRight())
        }
    }

    @Test func `a process that only resembles one of ours is not touched`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let path = deployment.root + "/bin/feed-service"
            // This process has the command line of a service and has its lock file open, but does not hold the lock.
            let other = try Program(path: "/bin/bash").start(
                ["-c", "exec -a '\(path)' sleep 1000 5<'\(deployment.root)/run/feed.sock.lock'"], errors: "/dev/null")
            defer { other.send(SIGKILL) }
            #expect(try await deployment.processes()["feed"]?.count == 1)
            #expect(try await deployment.down().status == 0)
            #expect(other.status == nil)
        }
    }

    /// As in a container with the same paths on other file systems. Needs root.
    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `a process of another mount namespace with the same paths is not touched`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
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

    /// After any kill, stop or deletion, `up` and `down` end in the right state. The seeds are fixed.
    @Test(arguments: 1...3)
    func `up and down work after any kill, stop or deletion`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await SupervisedDeployment.with(["--empty"], watchdog: Self.quick) { deployment, _ in
            var seen: Set<ProcessIdentity> = []
            var steps: [String] = []
            for _ in 0..<6 {
                let processes = try await deployment.processes()
                seen.formUnion(processes.values.joined().compactMap(ProcessIdentity.init))
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
                let left = seen.filter { $0.isAlive && !now.values.joined().contains($0.id) }
                #expect(left.isEmpty, "\(steps)")
            }
        }
    }

    /// - Returns: a description of the damage.
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

extension SupervisedDeployment {
    /// The state of a program in supervisord's terms.
    fileprivate func state(of program: String) async throws -> String {
        let outcome = try await supervisorctl("status", program)
        return outcome.output.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }
}
