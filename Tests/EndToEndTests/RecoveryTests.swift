import Foundation
import RPCTestKit
import Testing

/// supervisord, `deploy/up` and `deploy/down` after processes were killed or stopped and files were deleted.
struct RecoveryTests {
    @Test func `supervisord starts a program again, however often it has failed to start`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let (program, away) = (deployment.root + "/bin/feed-service", deployment.root + "/feed-service")
            try FileManager.default.moveItem(atPath: program, toPath: away)
            kill(try await deployment.process("feed"), SIGKILL)
            try await eventually {
                try deployment.log(of: "supervisord").split(separator: "\n").count {
                    $0.contains("spawnerr") || $0.contains("gave up") || $0.contains("exit status 127")
                } >= 5
            }
            try FileManager.default.moveItem(atPath: away, toPath: program)
            try await eventually { try await deployment.isRight() }
        }
    }

    @Test func `a service with an unusable store answers unavailable, and works after the repair`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            #expect(try await deployment.down().status == 0)
            let (data, away) = (deployment.root + "/data/feed.sqlite", deployment.root + "/feed.sqlite")
            try FileManager.default.moveItem(atPath: data, toPath: away)
            try Data("this is not a database, and it is longer than a header".utf8).write(to: URL(filePath: data))
            let refused = try await deployment.up()
            #expect(refused.status == 1)
            #expect(refused.errors.contains(data) && refused.errors.contains("not an SQLite database"))
            #expect(refused.errors.contains("unusable stores are tried again"), "\(refused.errors)")
            #expect(try await deployment.gateway("feed").status == 69)
            let health = try await deployment.gateway("health")
            #expect(health.status == 1 && health.output.contains(data), "\(health.output)")
            // Even if the plugin is optional for the gateway.
            let manifest = #"{"name":"feed","socket":"feed.sock","contracts":{"feed":1},"required":false}"#
            try Data(manifest.utf8).write(to: URL(filePath: deployment.root + "/plugins.d/feed.json"))
            #expect(try await deployment.up().status == 1)

            try FileManager.default.removeItem(atPath: data)
            try FileManager.default.moveItem(atPath: away, toPath: data)
            #expect(try await deployment.gateway("call", "feed.validate").status == 0)
            #expect(try await deployment.gateway("feed").status == 0)
            #expect(try await deployment.isRight())
        }
    }

    @Test func `after supervisord was killed, up replaces all programs`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let port = "\(try lastingPort())"
            #expect(try await deployment.up("--http-port", port).status == 0)
            let before = try await deployment.processes()
            kill(try #require(before["supervisord"]?.first), SIGKILL)

            // At the same port, which a gateway without supervisord still uses.
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
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
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
            let path = deployment.root + "/current/feed-service"
            // This process has the name and the words of a service, but its program is another one.
            let other = try Program(path: "/bin/bash").start(
                ["-c", "exec -a '\(path)' bash -c 'sleep 1000; :' feed-service --root '\(deployment.root)'"],
                errors: "/dev/null")
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
            let other = try Program(path: "/usr/bin/env").start(
                [
                    "unshare", "-m", "sh", "-c",
                    "mount -t tmpfs tmpfs '\(directory)' && exec '\(Program("feed-service").path)' --create --root '\(deployment.root)'",
                ], errors: nil)
            defer { other.send(SIGKILL) }
            #expect(await other.errors.wait(for: "serving on"), "\(other.errors.text)")
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
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
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
                // A process gives its lock back, by which it is known, before it has ended.
                let others = seen.filter { !now.values.joined().contains($0.id) }
                try await eventually { !others.contains(where: \.isAlive) }
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
