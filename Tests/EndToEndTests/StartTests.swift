import Foundation
import JSON
import RPCTestKit
import Testing

/// How `deploy/up` builds, installs and configures the programs.
struct StartTests {
    @Test(arguments: [("--foo", "Unknown option --foo."), ("foo", "Unexpected argument 'foo'.")], ["up", "down"])
    func `a wrong argument is named`(argument: (String, String), script: String) async throws {
        let outcome = try await Program(path: Program.repository + "/deploy/" + script).run([argument.0])
        #expect(outcome.status == 64 && outcome.errors.contains(argument.1), "\(outcome.errors)")
    }

    @Test func `down says where there is no deployment`() async throws {
        try await withTemporaryDirectory { directory in
            for (root, status) in [("none", 66), ("stopped", 0)] {
                if status == 0 {
                    try FileManager.default.createDirectory(
                        atPath: "\(directory)/\(root)/run", withIntermediateDirectories: true)
                }
                let outcome = try await Program(path: Program.repository + "/deploy/down").run(
                    ["--root", "\(directory)/\(root)"])
                #expect(outcome.status == status, "\(outcome.errors)")
                let message = status == 0 ? "nothing runs in \(directory)" : "There is no deployment in \(directory)"
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
            }
        }
    }

    @Test func `an empty deployment never imports the sample, and up warns when it runs as root`() async throws {
        try await SupervisedDeployment.with(["--empty"]) { deployment, first in
            #expect(first.status == 0 && !first.errors.contains("sample"), "\(first.errors)")
            if geteuid() == 0 {
                #expect(first.errors.contains("running as root") && first.errors.contains("--user NAME"))
            }
            let second = try await deployment.up()
            #expect(second.status == 0 && !second.errors.contains("sample"), "\(second.errors)")
            let feed = try await deployment.gateway("feed", "--json")
            #expect(feed.output.contains(#""items":[]"#), "\(feed.output)")
        }
    }

    @Test func `options for fetching are those of the services that connect to others, and are remembered`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let pin = "127.0.0.1=sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            try FileManager.default.copyItem(
                atPath: "/etc/ssl/certs/ca-certificates.crt", toPath: directory + "/ca.pem")
            let stubs = try Stubs(directory)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            // Each `up` ends when it has written the settings.
            let tools = try Tool.write("exit 1", as: "supervisord", in: directory)
            let exceptions =
                #""allow-private-upstream":"127.0.0.1:2","pin":"\#(pin)","upstream-ca":"\#(directory)/ca.pem""#
            let others = #""contact":"ops@a.example","deny-upstream":"192.0.2.0/24""#
            let edge = #""upstream":"https://127.0.0.1:3""#
            let given =
                "--allow-private-upstream 127.0.0.1:2 --pin \(pin) --upstream-ca \(directory)/ca.pem"
            for (arguments, services, fetches) in [
                (
                    "--empty \(given) --deny-upstream 192.0.2.0/24 --contact ops@a.example --no-fetch",
                    [exceptions, others], false
                ),
                ("", [exceptions, others], false), ("--fetch", [exceptions, others], true),
                ("--no-fetch", [exceptions, others], false),
                // The exceptions were for fetching without an upstream, not for this upstream.
                ("--upstream https://127.0.0.1:3", [others, edge], false),
                // Those for this upstream last until it changes.
                (given, [exceptions, others, edge], false),
                ("--upstream https://127.0.0.1:3/", [exceptions, others, edge], false),
                ("--upstream none", [others], false),
                ("--fetch --deny-upstream none", [#""contact":"ops@a.example""#], true),
                ("--contact none", [], true),
            ] {
                let outcome = try await deployment.up(
                    with: arguments.split(separator: " ").map(String.init), ["PATH": tools])
                #expect(
                    outcome.status == 69 && outcome.errors.contains("supervisord does not start"), "\(outcome.errors)")
                let text = try String(contentsOfFile: deployment.root + "/config.json", encoding: .utf8)
                let settings = try JSONValue(json: text)
                let expected = try JSONValue(json: "{\(services.joined(separator: ","))}")
                #expect(settings["services"] ?? .object(JSONMembers()) == expected, "\(arguments): \(text)")
                #expect(
                    settings["image-data"]?["no-fetch"] == (fetches ? nil : .boolean(true)), "\(arguments): \(text)")
            }
        }
    }

    @Test func `--new-store applies to one start only`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            #expect(try await deployment.up("--empty").status == 0)
            #expect(try await deployment.down().status == 0)
            let store = URL(filePath: deployment.root + "/data/feed.sqlite")
            try Data("no database".utf8).write(to: store)
            let unusable = try await deployment.up("--wait", "1")
            #expect([1, 69].contains(unusable.status) && unusable.errors.contains("--new-store"), "\(unusable.errors)")
            let outcome = try await deployment.up("--new-store")
            #expect(outcome.status == 0, "\(outcome.errors)")
            for name in ["feed", "comments", "image-data"] {
                let starts = try stubs.starts(of: "\(name)-service").suffix(2).map { $0.contains("--new-store") }
                #expect(starts == [true, false], "\(name)")
            }
            let configuration = try String(contentsOfFile: deployment.root + "/supervisord.conf", encoding: .utf8)
            #expect(!configuration.contains("--new-store"))
            #expect(try await deployment.down().status == 0)
        }
    }

    @Test func `programs are installed without symbols, and restarted only when their code has changed`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            let gateway = stubs.directory + "/gateway"
            try FileManager.default.removeItem(atPath: gateway)
            try FileManager.default.copyItem(atPath: Program("gateway").path, toPath: gateway)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            #expect(try await deployment.up("--empty").status == 0)
            let (built, installed) = (try size(gateway), try size(deployment.root + "/bin/gateway"))
            #expect(installed < built * 3 / 4)

            let before = try await deployment.processes()
            // A run that was killed before it used its release has left it.
            let orphan = deployment.root + "/releases/20261101T120000"
            try FileManager.default.createDirectory(atPath: orphan, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: gateway)
            let touched = try await deployment.up()
            #expect(touched.status == 0 && !touched.errors.contains("Restarting"), "\(touched.errors)")
            #expect(!FileManager.default.fileExists(atPath: orphan))
            #expect(try await deployment.processes() == before)

            try stubs.change("feed-service")
            let changed = try await deployment.up()
            #expect(
                changed.status == 0 && changed.errors.contains("Restarting programs: feed\n"), "\(changed.errors)")
            #expect(try await deployment.down().status == 0)
        }
    }

    @Test func `up --back returns to the release before, and again`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            func release() throws -> String {
                try FileManager.default.destinationOfSymbolicLink(atPath: deployment.root + "/current")
            }
            #expect(try await deployment.up("--empty").status == 0)
            // The release before may have no program that changes settings.
            let changing = try await deployment.up("--back", "--contact", "ana@example.org")
            #expect(changing.status == EX_USAGE && changing.errors.contains("--back changes no settings"))
            let (first, none) = (try release(), try await deployment.up("--back"))
            #expect(none.status == 66 && none.errors.contains("no release before"), "\(none.errors)")
            try stubs.change("feed-service")
            #expect(try await deployment.up().status == 0)
            let (second, changed) = (try release(), try await deployment.processes())
            #expect(second != first)
            for expected in [first, second] {
                let back = try await deployment.up("--back")
                #expect(back.status == 0 && back.errors.contains("Restarting programs: feed\n"), "\(back.errors)")
                #expect(try release() == expected)
                let processes = try await deployment.processes()
                #expect(processes["feed"] != changed["feed"] && processes["gateway"] == changed["gateway"])
            }
            // Earlier versions have named the release before in ROOT.
            let before = deployment.root + "/current/.before"
            try FileManager.default.removeItem(atPath: before)
            try FileManager.default.createSymbolicLink(
                atPath: deployment.root + "/previous", withDestinationPath: first)
            #expect(try await deployment.up("--back").status == 0)
            #expect(try release() == first)
            #expect(try await deployment.down().status == 0)
        }
    }

    @Test func `a release that has lost a program is none to return to`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            func release() throws -> String {
                try FileManager.default.destinationOfSymbolicLink(atPath: deployment.root + "/current")
            }
            func lose() throws {
                try FileManager.default.removeItem(atPath: deployment.root + "/current/feed-service")
            }
            #expect(try await deployment.up("--empty").status == 0)
            try lose()
            #expect(try await deployment.up().status == 0)
            let (first, none) = (try release(), try await deployment.up("--back"))
            #expect(none.status == 66 && none.errors.contains("no release before"), "\(none.errors)")
            try stubs.change("feed-service")
            #expect(try await deployment.up().status == 0)
            try lose()
            #expect(try await deployment.up().status == 0)
            #expect(try await deployment.up("--back").status == 0)
            #expect(try release() == first)
            #expect(try await deployment.down().status == 0)
        }
    }

    @Test func `after up was killed while it changed the release, up --back returns to the one before`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            func release() throws -> String {
                try FileManager.default.destinationOfSymbolicLink(atPath: deployment.root + "/current")
            }
            #expect(try await deployment.up("--empty").status == 0)
            let first = try release()
            try stubs.change("feed-service")
            #expect(try await deployment.up().status == 0)
            let second = try release()
            try stubs.change("feed-service")
            let tools = try Tool.write(
                #"case "$*" in "-fT "*/current) kill -KILL $PPID; exit ;; esac; exec /bin/mv "$@""#, as: "mv",
                in: directory)
            #expect(try await deployment.up(environment: ["PATH": tools]).status == 128 + SIGKILL)
            #expect(try release() == second)
            let back = try await deployment.up("--back")
            #expect(back.status == 0 && back.errors.contains("Restarting programs: feed\n"), "\(back.errors)")
            #expect(try release() == first)
            #expect(try await deployment.down().status == 0)
        }
    }

    @Test func `a setting that is changed beside up is kept`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            let set = "'\(Program.directory)/gateway' config set comments.log-level debug --root '\(deployment.root)'"
            // It runs after the settings were checked, and before they are written.
            _ = try Tool.write("\(set); exit 1", as: "strip", in: directory)
            let tools = try Tool.write("exit 1", as: "supervisord", in: directory)
            let outcome = try await deployment.up("--contact", "ops@a.example", environment: ["PATH": tools])
            #expect(outcome.status == 69 && outcome.errors.contains("supervisord does not start"), "\(outcome.errors)")
            let text = try String(contentsOfFile: deployment.root + "/config.json", encoding: .utf8)
            let settings = try JSONValue(json: text)
            #expect(settings["comments"]?["log-level"]?.text == "debug", "\(text)")
            #expect(settings["services"]?["contact"]?.text == "ops@a.example", "\(text)")
        }
    }

    @Test func `up refuses options of versions before config.json, without which an edge would be an authority`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let deployment = SupervisedDeployment(root: directory + "/root")
            try FileManager.default.createDirectory(
                atPath: deployment.root + "/run", withIntermediateDirectories: true)
            let former = deployment.root + "/upstream.options"
            try Data("--upstream http://127.0.0.1:1".utf8).write(to: URL(filePath: former))
            let refused = try await deployment.up("--empty")
            #expect(refused.status == 78 && refused.errors.contains("upstream.options"), "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: deployment.root + "/config.json"))
        }
    }

    @Test func `up refuses a port of another program before it changes anything`() async throws {
        try await withTemporaryDirectory { directory in
            let deployment = SupervisedDeployment(root: directory + "/root")
            try await OriginServer.with({ _ in [] }) { origin in
                let refused = try await deployment.up("--http-port", "\(origin.port)")
                #expect(refused.status == 69 && refused.errors.contains("Port \(origin.port)"), "\(refused.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: deployment.root + "/config.json"))
        }
    }

    /// Needs root, to mount a small disk.
    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `an upgrade on a full disk changes nothing, and starts what is installed`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            try await Tmpfs.with(at: directory + "/root", megabytes: 400) { root in
                let deployment = SupervisedDeployment(root: root, programs: stubs.directory)
                #expect(try await deployment.up("--empty").status == 0)
                let (before, release) = (
                    try await deployment.processes(),
                    try FileManager.default.destinationOfSymbolicLink(atPath: root + "/current")
                )
                let filler = try Program(path: "/bin/sh").start(
                    ["-c", "cat /dev/zero > '\(root)/filler'"], errors: nil)
                try await eventually { filler.status != nil }
                try stubs.change("feed-service")
                let full = try await deployment.up()
                #expect(full.status == 73 && full.errors.contains("Nothing has changed"), "\(full.errors)")
                #expect(try await deployment.processes() == before)
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: root + "/current") == release)
                #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/releases").count == 1)
                #expect(try await deployment.down().status == 0)
                // Enough for the files beside the stores, and too little for the programs.
                truncate(root + "/filler", off_t(try size(root + "/filler") - 8_000_000))
                let stopped = try await deployment.up("--contact", "ops@a.example")
                #expect(
                    stopped.status == 73 && stopped.errors.contains("Cannot install the new programs"),
                    "\(stopped.errors)")
                #expect(try await deployment.gateway("health").status == 0)
                #expect(try await deployment.gateway("config", "show", "services").output == "null\n")
                try FileManager.default.removeItem(atPath: root + "/filler")
                let outcome = try await deployment.up()
                #expect(
                    outcome.status == 0 && outcome.errors.contains("Restarting programs: feed\n"), "\(outcome.errors)")
                #expect(try await deployment.down().status == 0)
            }
        }
    }

    @Test func `up applies the settings of the site, and refuses invalid ones before it changes anything`() async throws
    {
        try await SupervisedDeployment.with(["--empty"]) { deployment, _ in
            let before = try await deployment.processes()
            let file = URL(filePath: deployment.root + "/config.json")
            try Data(#"{"gateway":{"http":"127.0.0.1:0"},"site":{"title":"Ana’s photographs"}}"#.utf8).write(to: file)
            #expect(try await deployment.up().output.hasPrefix("Ana’s photographs\n"))
            let titled = try await deployment.processes()
            #expect(titled["gateway"] != before["gateway"] && titled["feed"] == before["feed"])
            _ = try await deployment.up()
            #expect(try await deployment.processes() == titled)

            try Data(#"{"site":{"titel":"Ana"}}"#.utf8).write(to: file)
            let refused = try await deployment.up()
            #expect(refused.status == 78 && refused.errors.contains("config.json:1: site.titel"), "\(refused.errors)")
            #expect(try await deployment.processes() == titled)

            try FileManager.default.removeItem(at: file)
            let missing = try await deployment.up()
            #expect(missing.status == 78 && missing.errors.contains("config.json.applied"), "\(missing.errors)")
            try Data("{}".utf8).write(to: file)
            #expect(try await deployment.up("--http-port", "0").output.hasPrefix("My Feed\n"))
        }
    }

    @Test func `without search only a part serves, which is exit code 1`() async throws {
        try await withTemporaryDirectory { directory in
            let stubs = try Stubs(directory)
            let deployment = SupervisedDeployment(root: directory + "/root", programs: stubs.directory)
            try stubs.write("search-service", "exec '\(Program.directory)/search-service' \"$@\"\n")
            #expect(try await deployment.up("--empty").status == 0)
            try stubs.write("search-service", "exit 3\n")
            // The others run already.
            let broken = try await deployment.up("--wait", "1")
            #expect(broken.status == 1 && broken.errors.contains("Only some programs"), "\(broken.errors)")
            #expect(broken.errors.contains("log/gateway.log"), "\(broken.errors)")
            #expect(try await deployment.down().status == 0)
        }
    }

    @Test func `an unedited manifest is updated, and an edited one stays`() async throws {
        try await withTemporaryDirectory { directory in
            let deployment = SupervisedDeployment(root: directory + "/root")
            #expect(try await deployment.up("--empty").status == 0)
            let plugins = deployment.root + "/plugins.d/"
            let edited = #"{"name":"comments","socket":"comments.sock","contracts":{"comments":1},"required":false}"#
            try Data(edited.utf8).write(to: URL(filePath: plugins + "comments.json"))

            let project = directory + "/project"
            try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: false)
            try FileManager.default.copyItem(atPath: Program.repository + "/deploy", toPath: project + "/deploy")
            var shipped: [String: String] = [:]
            for name in ["feed", "comments", "image-data"] {
                let text =
                    #"{"name":"\#(name)","socket":"\#(name).sock","contracts":{"\#(name)":1},"required":true,"timeout_ms":7777}"#
                try Data(text.utf8).write(to: URL(filePath: "\(project)/deploy/plugins.d/\(name).json"))
                shipped[name] = text
            }
            let outcome = try await Program(path: project + "/deploy/up").run([
                "--root", deployment.root, "--bin", Program.directory,
            ])
            // The running gateway follows the folder.
            #expect(outcome.status == 0 && !outcome.errors.contains("Restarting"), "\(outcome.errors)")
            for (name, text) in [
                ("feed", shipped["feed"]), ("image-data", shipped["image-data"]), ("comments", edited),
            ] {
                #expect(try String(contentsOfFile: plugins + name + ".json", encoding: .utf8) == text)
            }
            #expect(try await deployment.down().status == 0)
        }
    }

    @Test func `nothing is built when nothing has changed, also for a second root`() async throws {
        try await withTemporaryDirectory { directory in
            let project = try FakeProject(directory)
            for (change, builds) in [
                ("nothing", 1), ("nothing", 1), ("source", 2), ("program", 3), ("new source", 4), ("nothing", 4),
            ] {
                try project.change(change)
                // It ends after the build, because of these settings.
                let root = "\(directory)/root-\(change == "nothing")"
                try SupervisedDeployment(root: root).configure("{")
                let outcome = try await project.up(root)
                #expect(outcome.status == 78 && outcome.errors.contains("config.json"), "\(outcome.errors)")
                #expect(try project.builds() == builds, "\(change)")
            }
        }
    }

    /// Needs root to change the user, and the user must be able to read the programs.
    @Test(
        .enabled(if: geteuid() == 0, "needs root"),
        .enabled(if: nobodyCanRead(), "the user nobody cannot read the programs"))
    func `as root, all programs can run as another user, which is remembered`() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
            let deployment = SupervisedDeployment(root: directory + "/root")
            for arguments in [["--user", "nobody", "--empty"], []] {
                let outcome = try await deployment.up(with: arguments, ["SECRET_OF_ROOT": "1"])
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(!outcome.errors.contains("running as root"))
                let processes = try await deployment.processes()
                #expect(processes.count == SupervisedDeployment.names.count)
                for process in processes.values.joined() { #expect(try owner("/proc/\(process)") == "nobody") }
                let environment = try Data(contentsOf: URL(filePath: "/proc/\(processes["feed"]?.first ?? 0)/environ"))
                #expect(!String(decoding: environment, as: UTF8.self).contains("SECRET_OF_ROOT"))
            }
            for file in try FileManager.default.subpathsOfDirectory(atPath: deployment.root) {
                #expect(try owner("\(deployment.root)/\(file)") == "nobody")
            }
            let mode = try FileManager.default.attributesOfItem(atPath: deployment.root)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            let stranger = try await Program(path: "/usr/bin/env").run([
                "setpriv", "--reuid=games", "--clear-groups", Program.repository + "/deploy/down", "--root",
                deployment.root,
            ])
            #expect(stranger.status == 77 && stranger.errors.contains("nobody"), "\(stranger.errors)")
            let other = try await deployment.up("--user", "root")
            #expect(other.status == 77 && other.errors.contains("belongs to nobody"), "\(other.errors)")
            #expect(try await deployment.down().status == 0)
            #expect(try await deployment.processes().isEmpty)
        }
    }

    private func size(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func owner(_ path: String) throws -> String? {
        try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountName] as? String
    }

    private static func nobodyCanRead() -> Bool {
        let command = ["/usr/bin/setpriv", "--reuid=nobody", "--clear-groups", "test", "-r", Program("gateway").path]
        return (try? Spawn.run(command)) == 0
    }
}

/// Programs that record their options, start the real ones, and omit options that those may not support yet.
private struct Stubs {
    let directory: String

    init(_ parent: String) throws {
        directory = parent + "/programs"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        for name in try FileManager.default.contentsOfDirectory(atPath: Program.directory)
        where name == "gateway" || name.hasSuffix(".resources") {
            try FileManager.default.createSymbolicLink(
                atPath: "\(directory)/\(name)", withDestinationPath: "\(Program.directory)/\(name)")
        }
        for service in ["feed", "comments", "image-data"] {
            let path = "\(directory)/\(service)-service"
            let script = """
                [[ " $* " == *' --check '* && " $* " != *' --new-store '* ]] || echo " $* " >>'\(path).starts'
                words=()
                while (($#)); do
                    case $1 in
                    --no-fetch) shift ;;
                    --allow-private-upstream | --pin | --upstream-ca | --deny-upstream) shift 2 ;;
                    *) words+=("$1") && shift ;;
                    esac
                done
                exec '\(Program.directory)/\(service)-service' "${words[@]}"

                """
            try write("\(service)-service", script)
        }
    }

    func write(_ program: String, _ script: String) throws {
        let path = "\(directory)/\(program)"
        try Data("#!/bin/bash\n\(script)".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    func starts(of program: String) throws -> [Substring] {
        try String(contentsOfFile: "\(directory)/\(program).starts", encoding: .utf8).split(separator: "\n")
    }

    func change(_ program: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: "\(directory)/\(program)"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("# Another one.\n".utf8))
        try file.close()
    }
}

/// A program that replaces one of the system.
private enum Tool {
    /// - Parameter script: the text of a bash script.
    /// - Returns: the search path on which it comes first.
    static func write(_ script: String, as name: String, in directory: String) throws -> String {
        let tools = directory + "/tools"
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
        try Data("#!/bin/bash\n\(script)\n".utf8).write(to: URL(filePath: "\(tools)/\(name)"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(tools)/\(name)")
        return tools + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    }
}

/// A copy of the scripts with a fake compiler that counts its calls.
private struct FakeProject {
    let path: String
    private let searchPath: String

    init(_ directory: String) throws {
        path = directory + "/project"
        for folder in [path, path + "/Services", path + "/.build"] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(atPath: Program.repository + "/deploy", toPath: path + "/deploy")
        try Data("// one".utf8).write(to: URL(filePath: path + "/Package.swift"))
        try Data("// two".utf8).write(to: URL(filePath: path + "/Services/A.swift"))
        let script = """
            out='\(path)/.build/out'
            case "$*" in
            --version) echo 'Swift version 6.3.1' ;;
            *--show-bin-path) echo "$out" ;;
            *)
                echo build >>'\(path)/.build/builds'
                echo '[1/1] Compiling A'
                date +%N | tee '\(path)/Package.resolved' >'\(path)/.build/workspace-state.json'
                mkdir -p "$out"
                for program in gateway feed-service comments-service image-data-service image-feed_Presentation.resources; do
                    ln -sfn '\(Program.directory)'/$program "$out/$program"
                done
                ;;
            esac

            """
        searchPath = try Tool.write(script, as: "swift", in: directory)
    }

    func up(_ root: String) async throws -> Program.Outcome {
        try await Program(path: path + "/deploy/up").run(["--root", root], environment: ["PATH": searchPath])
    }

    func builds() throws -> Int {
        try String(contentsOfFile: path + "/.build/builds", encoding: .utf8).split(separator: "\n").count
    }

    func change(_ what: String) throws {
        switch what {
        // A change that keeps the size and the modification time.
        case "source":
            let file = path + "/Services/A.swift"
            let date = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate]
            try Data("// six".utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.modificationDate: date as Any], ofItemAtPath: file)
        case "new source": try Data().write(to: URL(filePath: path + "/Services/B.swift"))
        case "program":
            let program = path + "/.build/out/gateway"
            try FileManager.default.removeItem(atPath: program)
            try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: Program("gateway").path)
        default: break
        }
    }
}
