import Foundation
import RPC
import RPCTestKit
import Testing

@Suite struct DeploymentTests {
    @Test func `deploy/up shows the feed, and a second run changes nothing`() async throws {
        try await SupervisedDeployment.with { deployment, first in
            #expect(first.status == 0, "\(first.errors)")
            #expect(first.output.hasPrefix("My Feed\n"))
            #expect(first.errors.contains("24 published") && first.errors.contains("gateway feed --root"))
            let names = ["feed", "comments", "image-data", "gateway"]
            var processes: [Int32] = []
            for name in names { processes.append(try await deployment.process(name)) }

            let second = try await deployment.up()
            #expect(second.status == 0 && second.output == first.output)
            #expect(!second.errors.contains("published"))
            for (name, process) in zip(names, processes) { #expect(try await deployment.process(name) == process) }
            #expect(try await deployment.gateway("health").output.hasPrefix("serving\n"))
        }
    }

    @Test func `a new manifest takes effect without a restart, and up waits for its program if it is required`()
        async throws
    {
        try await SupervisedDeployment.with(["--empty"]) { deployment, first in
            #expect(first.status == 0, "\(first.errors)")
            let processes = try await deployment.processes()
            // A plugin that does not answer.
            try await WireListener.with(at: SocketPath(deployment.root + "/run/likes.sock")) { _ in
                let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{"likes":1},"required":false}"#
                try Data(manifest.utf8).write(to: URL(filePath: deployment.root + "/plugins.d/likes.json"))
                try await eventually { try await deployment.gateway("plugins").output.contains("likes") }
                let outcome = try await deployment.up()
                #expect(outcome.status == 0 && !outcome.errors.contains("likes"), "\(outcome.errors)")
                #expect(!outcome.errors.contains("Restarting"), "\(outcome.errors)")
                // It was not answered meanwhile.
                #expect(try await deployment.gateway("plugins").output.contains(/likes +(down|connecting)/))
            }
            let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{"likes":1},"required":true}"#
            try Data(manifest.utf8).write(to: URL(filePath: deployment.root + "/plugins.d/likes.json"))
            try await eventually {
                try await deployment.gateway("plugins", "--json").output.contains(
                    /"name":"likes",[^{}]*"required":true/)
            }
            let outcome = try await deployment.up("--wait", "0")
            #expect(outcome.status == 1 && outcome.errors.contains("likes"), "\(outcome.errors)")
            let history = try deployment.history()
            #expect(try await deployment.processes() == processes, "\(history)")
        }
    }

    /// The program is the example service, in a copy beside its manifest.
    @Test func `the program of a manifest runs as long as the manifest does, and is restarted`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let plugins = deployment.root + "/plugins.d"
            for file in ["likes.py", "plugin.py"] {
                try FileManager.default.copyItem(
                    atPath: "\(Program.repository)/Services/Examples/\(file)", toPath: "\(plugins)/\(file)")
            }
            let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{"likes":1},"run":["./likes.py"]}"#
            try Data(manifest.utf8).write(to: URL(filePath: plugins + "/likes.json"))
            let add = ["call", "likes.add", "image_id=5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01"]
            try await eventually { try await deployment.gateway(add).status == 0 }
            let line = "plugin likes: likes: serving on \(deployment.root)/run/likes.sock"
            try await eventually { try deployment.log(of: "gateway").contains(line) }

            let program = try #require(try deployment.pluginProcess("likes"))
            kill(program, SIGKILL)
            try await eventually { ProcessIdentity(program) == nil }
            try await eventually { try await deployment.gateway(add).status == 0 }
            let outcome = try await deployment.up()
            #expect(outcome.status == 0, "\(outcome.errors)")

            let restarted = try #require(try deployment.pluginProcess("likes"))
            try FileManager.default.removeItem(atPath: plugins + "/likes.json")
            try await eventually { ProcessIdentity(restarted) == nil }
            try await eventually { try await deployment.gateway(add).status == 64 }
        }
    }

    @Test(arguments: [1, 2])
    func `programs and routes follow random changes of manifests, also through kills`(seed: Int) async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let outcome = try await Program(path: "/usr/bin/env").run([
                "python3", Program.repository + "/Tests/Tools/wild-manifests.py", deployment.root, "--seed", "\(seed)",
                "--steps", "20", "--patience", "600",
            ])
            let history = try deployment.history()
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)\(history)")
        }
    }

    @Test func `the programs of plugins end with the gateway, also when it is killed`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            // They ignore SIGTERM.
            let manifest =
                #"{"name":"idle","socket":"idle.sock","contracts":{},"run":["sh","-c","trap '' TERM; sleep 1000000"]}"#
            try Data(manifest.utf8).write(to: URL(filePath: deployment.root + "/plugins.d/idle.json"))
            try await eventually { try deployment.pluginProcess("idle") != nil }
            let first = try #require(try deployment.pluginProcess("idle"))
            kill(try await deployment.process("gateway"), SIGKILL)
            try await eventually { ProcessIdentity(first)?.isAlive != true }

            try await eventually { try deployment.pluginProcess("idle") != first }
            let second = try #require(try deployment.pluginProcess("idle"))
            #expect(try await deployment.down().status == 0)
            #expect(ProcessIdentity(second)?.isAlive != true)
        }
    }

    @Test func `the next up applies changed settings, and refuses invalid ones before it changes anything`()
        async throws
    {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let before = try await deployment.processes()
            let settings = try String(contentsOfFile: deployment.root + "/config.json", encoding: .utf8)
            for (wrong, complaint) in [
                (#"{"image-data":{"max-image-bytes":0}}"#, "config.json:1: image-data.max-image-bytes: "),
                (#"{"feed":{"nonsense":1}}"#, "feed.nonsense: Unknown option"), ("{", "config.json:1: "),
            ] {
                try deployment.configure(wrong)
                let refused = try await deployment.up()
                #expect(refused.status == 78 && refused.errors.contains(complaint), "\(refused.errors)")
            }
            try deployment.configure(settings)
            let port = try deployment.httpPort()
            for (arguments, complaint) in [
                (["--upstream", "http://a:99999"], "services.upstream"),
                (["--upstream", "https://a", "--pin", "nonsense"], "services.pin"),
                // No more than `none` removes all.
                (["--upstream", "https://a", "--pin", "a=none"], "services.pin"),
                (["--upstream", "http://127.0.0.1:\(port)", "--http-port", "\(port)"], "its own upstream"),
            ] {
                let refused = try await deployment.up(with: arguments)
                #expect(refused.status == 78 && refused.errors.contains(complaint), "\(refused.errors)")
                #expect(try String(contentsOfFile: deployment.root + "/config.json", encoding: .utf8) == settings)
            }
            #expect(try await deployment.processes() == before)

            let changed = try await deployment.gateway(
                "config", "set", "image-data.max-image-bytes", "100", "--root", deployment.root)
            #expect(changed.status == 0, "\(changed.errors)")
            let outcome = try await deployment.up()
            #expect(
                outcome.status == 0 && outcome.errors.contains("Restarting programs: image-data\n"), "\(outcome.errors)"
            )
            let after = try await deployment.processes()
            for name in SupervisedDeployment.names { #expect((after[name] == before[name]) == (name != "image-data")) }
            let published = try await deployment.gateway("publish", Program.repository + "/deploy/sample/mosaic.webp")
            #expect(published.status == 65 && published.errors.contains("100"), "\(published.errors)")
        }
    }

    @Test func `up prints the HTTP address, and uses the port until another is given`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, first in
            let port = try #require(Self.port(in: first))
            #expect(try await HTTPPeer.exchange(port: port, "/v1/feed?limit=1").status == 200)
            let gateway = try await deployment.process("gateway")
            let named = try await deployment.up("--http-port", "\(try lastingPort())")
            let newPort = try #require(Self.port(in: named))
            #expect(named.status == 0 && newPort != port)
            #expect(try await HTTPPeer.exchange(port: newPort, "/v1/feed?limit=1").status == 200)
            let restarted = try await deployment.process("gateway")
            #expect(restarted != gateway)
            // Its own port does not count as in use.
            let again = try await deployment.up("--http-port", "\(newPort)", environment: ["HTTP_PORT": ""])
            let unchanged = try await deployment.process("gateway")
            #expect(again.status == 0 && Self.port(in: again) == newPort && unchanged == restarted)

            try deployment.configure(#"{"gateway":{"http":"off"}}"#)
            let off = try await deployment.up(environment: ["HTTP_PORT": ""])
            #expect(off.status == 0 && !off.errors.contains("curl"), "\(off.errors)")
        }
    }

    @Test func `two roots run side by side, and neither takes the port of the other`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { first, outcome in
            let port = try #require(Self.port(in: outcome))
            try await SupervisedDeployment.with(["--empty"]) { second, _ in
                let id = UUID().uuidString
                let published = try await second.gateway(
                    "publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
                let (there, here) = (
                    try await second.gateway("feed", "--limit", "1"), try await first.gateway("feed", "--limit", "1")
                )
                #expect(published.status == 0 && there.output.contains(id) && !here.output.contains(id))

                // Refused before any program is stopped.
                let refused = try await second.up("--http-port", "\(port)")
                #expect(refused.status == 69)
                #expect(refused.errors.contains("Port \(port) ") && refused.errors.contains("--http-port PORT"))
                #expect(try await second.gateway("health").status == 0)
            }
            #expect(try await first.gateway("health").status == 0)
        }
    }

    @Test func `settings and plugins may be created before the first start`() async throws {
        try await withTemporaryDirectory { directory in
            let deployment = SupervisedDeployment(root: directory + "/root")
            for (file, text) in [
                ("config.json", #"{"gateway":{"http":"off"}}"#),
                ("plugins.d/likes.json", #"{"name":"likes","socket":"l","contracts":{}}"#),
                ("plugins.d/bad.json", "{"),
            ] {
                let url = URL(filePath: "\(deployment.root)/\(file)")
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url)
            }
            let outcome = try await deployment.up()
            try await deployment.end()
            #expect(outcome.status == 0 && outcome.output.hasPrefix("My Feed\n"), "\(outcome.errors)")
            #expect(outcome.errors.contains("a plugin was refused: ") && outcome.errors.contains("bad.json"))
            let log = try deployment.log(of: "gateway")
            #expect(!log.contains("http://") && !outcome.errors.contains("curl"), "\(log)")
        }
    }

    @Test func `the command suggested for a refused URL allows it and the hosts allowed before`() async throws {
        try await SupervisedDeployment.with(["--empty", "--allow-private-upstream", "127.0.0.1:2"]) { deployment, _ in
            let refused = try await deployment.gateway("publish", "http://127.0.0.1:3/a.jpg")
            let command = try #require(
                refused.errors.firstMatch(of: /To allow this server: (deploy\/up .*)\n/)?.output.1, "\(refused.errors)")
            let outcome = try await Program(path: "/bin/bash").run([
                "-c", "cd \(Program.repository) && \(command) --bin \(deployment.programs)",
            ])
            #expect(outcome.status == 0, "\(outcome.errors)")
            for port in [2, 3] {
                let published = try await deployment.gateway("publish", "http://127.0.0.1:\(port)/a.jpg", "--unchecked")
                #expect(published.status == 0, "\(published.errors)")
            }
            let replaced = try await deployment.up("--allow-private-upstream", "127.0.0.1:3")
            #expect(
                replaced.errors.contains(#"services.allow-private-upstream was: ["127.0.0.1:2","127.0.0.1:3"]"#),
                "\(replaced.errors)")
        }
    }

    @Test func `down stops all programs, does not touch the data, and succeeds when nothing runs`() async throws {
        try await SupervisedDeployment.with { deployment, _ in
            let page = try await deployment.gateway("feed").output
            let gateway = try await deployment.process("gateway")
            #expect(try await deployment.down().status == 0)
            #expect(kill(gateway, 0) != 0)
            #expect(try await deployment.gateway("feed").status == 69)
            #expect(try await deployment.down().status == 0)
            #expect(try await deployment.up().status == 0)
            #expect(try await deployment.gateway("feed").output == page)
        }
    }

    @Test func `pictures removed or evicted through the gateway are not served any more`() async throws {
        try await Deployment.with { deployment in
            let imported = try await deployment.gateway("import", Program.repository + "/deploy/sample")
            #expect(imported.status == 0, "\(imported.errors)")
            let port = try deployment.httpPort()
            let page = try await HTTPPeer.exchange(port: port, "/v1/feed?limit=2")
            let ids = String(decoding: page.body, as: UTF8.self).matches(of: /"id":"([^"]*)"/).map {
                String($0.output.1)
            }
            let (removed, kept) = ("/v1/image/\(ids[0])/data", "/v1/image/\(ids[1])/data")
            for target in [removed, kept] { #expect(try await HTTPPeer.exchange(port: port, target).status == 200) }

            #expect(try await deployment.gateway("remove", ids[0]).status == 0)
            #expect(try await HTTPPeer.exchange(port: port, removed).status == 404)
            #expect(try await HTTPPeer.exchange(port: port, kept).status == 200)

            let evicted = try await deployment.gateway("call", "image-data.evict", #"{"older_than_s":0}"#)
            #expect(evicted.status == 0, "\(evicted.errors)")
            #expect(try await HTTPPeer.exchange(port: port, kept).status == 404)
        }
    }

    @Test(arguments: [
        ("--http-port", "x"), ("--http-port", "65536"), ("--http-port", "-1"), ("--http-port", ""), ("--wait", "x"),
        ("--wait", ""),
    ])
    func `an invalid number is a usage error`(option: String, value: String) async throws {
        let outcome = try await Program(path: Program.repository + "/deploy/up").run([option, value])
        #expect(outcome.status == 64 && outcome.errors.contains(option))
    }

    /// The port of the curl command that `deploy/up` prints.
    private static func port(in outcome: Program.Outcome) -> Int? {
        outcome.errors.firstMatch(of: /curl 'http:\/\/127\.0\.0\.1:(\d+)\/v1\/feed/).flatMap { Int($0.output.1) }
    }
}
