import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

/// `gateway backup` and `gateway restore` with the real programs.
@Suite struct BackupTests {
    private static let manager = FileManager.default

    /// A deployment with an item, in a temporary directory.
    private func withDeployment(_ body: (Deployment, _ directory: String) async throws -> Void) async throws {
        try await Deployment.with { deployment in
            try await publish(UUID(), deployment)
            try await withTemporaryDirectory { try await body(deployment, $0) }
        }
    }

    private func publish(_ id: UUID, _ deployment: Deployment) async throws {
        try await RPCClient.withConnection(to: SocketPath(deployment.root + "/run/feed.sock"), as: "test") { client in
            _ = try await client.call(FeedContract.publish, PublishedItems(items: [Self.item(id)]))
        }
    }

    private static func item(_ id: UUID) -> FeedItem {
        FeedItem(id: id, description: String(repeating: "d", count: 10_000), image: "https://example.org/\(id).jpg")
    }

    /// - Returns: the path of the backup.
    private func backUp(_ deployment: Deployment, _ arguments: String...) async throws -> String {
        let outcome = try await deployment.gateway(["backup"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    private func restore(_ backup: String, to root: String) async throws -> Program.Outcome {
        try await Program("gateway").run(["restore", backup, "--root", root])
    }

    private func ids(_ client: RPCClient) async throws -> [UUID] {
        var ids: [UUID] = []
        var after: UUID?
        repeat {
            let page = try await client.call(FeedContract.load, LoadFeed(limit: 100, afterID: after))
            ids += page.items.map(\.id)
            after = page.nextAfterID
        } while after != nil
        return ids
    }

    // MARK: What is in a backup

    @Test func `a restored deployment is started by deploy up, and its export has the same bytes`() async throws {
        try await SupervisedDeployment.with { deployment, _ in
            try await withTemporaryDirectory { directory in
                try Data("secret".utf8).write(to: URL(filePath: deployment.root + "/http-token"))
                try Self.manager.copyItem(
                    atPath: Program.repository + "/Services/Gateway/App/Web/Assets/icon-192.png",
                    toPath: deployment.root + "/logo.png")
                #expect(try await deployment.gateway("config", "set", "site.logo", "logo.png").status == 0)
                let made = try await deployment.gateway("backup", directory + "/backups")
                #expect(made.status == 0 && made.output.hasPrefix(directory + "/backups/2"), "\(made)")
                let backup = made.output.trimmingCharacters(in: .newlines)
                #expect(try Self.manager.contentsOfDirectory(atPath: directory + "/backups").count == 1)
                #expect(
                    try Self.manager.contentsOfDirectory(atPath: backup).sorted() == [
                        "backup.json", "config.json", "data", "logo.png", "plugins.d", "sample-imported",
                    ])
                #expect(
                    try Self.manager.contentsOfDirectory(atPath: backup + "/data").sorted() == [
                        "comments.sqlite", "feed.sqlite", "image-data.sqlite",
                    ])
                let exported = try await deployment.gateway("export", directory + "/before")
                #expect(exported.status == 0, "\(exported.errors)")

                let restored = SupervisedDeployment(root: directory + "/other")
                let outcome = try await restore(backup, to: restored.root)
                #expect(outcome.status == 0 && outcome.output.contains("deploy/up --root"), "\(outcome)")
                let up = try await restored.up()
                #expect(up.status == 0, "\(up.errors)")
                let again = try await restored.gateway("export", directory + "/after")
                try await restored.end()
                #expect(again.status == 0 && again.output == exported.output, "\(again)")
                let difference = try await Program(path: "/usr/bin/env").run(
                    ["diff", "-r", directory + "/before", directory + "/after"])
                #expect(difference.status == 0, "\(difference.output)")
            }
        }
    }

    @Test func `a backup beside a writer has all that was acknowledged before it, and no more than was written`()
        async throws
    {
        try await withDeployment { deployment, directory in
            let socket = try SocketPath(deployment.root + "/run/feed.sock")
            let (writes, written) = AsyncStream.makeStream(of: [UUID].self)
            let backups = try await withThrowingTaskGroup(of: [UUID].self) { group in
                group.addTask {
                    try await RPCClient.withConnection(to: socket, as: "writer") { client in
                        var ids: [UUID] = []
                        while !Task.isCancelled {
                            let id = UUID()
                            _ = try await client.call(FeedContract.publish, PublishedItems(items: [Self.item(id)]))
                            ids.append(id)
                            written.yield(ids)
                        }
                        return ids
                    }
                }
                var backups: [(path: String, before: [UUID])] = []
                for await before in writes where before.count.isMultiple(of: 10) {
                    backups.append((try await backUp(deployment, directory + "/backups"), before))
                    if backups.count == 3 { break }
                }
                group.cancelAll()
                // The call under way was cancelled.
                _ = try? await group.next()
                return backups
            }
            let all = try await RPCClient.withConnection(to: socket, as: "test") { try await ids($0) }
            for (number, backup) in backups.enumerated() {
                let root = "\(directory)/\(number)"
                let outcome = try await restore(backup.path, to: root)
                #expect(outcome.status == 0, "\(outcome.errors)")
                let stored = try await RunningService.with("feed", root: root) { try await ids($0.client) }
                #expect(Set(backup.before).isSubset(of: stored))
                #expect(stored == Array(all.suffix(stored.count)))
            }
        }
    }

    @Test func `keep leaves the latest backups, and removes unfinished ones but nothing else`() async throws {
        try await withDeployment { deployment, directory in
            let folder = directory + "/backups"
            let first = try await backUp(deployment, folder)
            let second = try await backUp(deployment, folder)
            for other in ["20200101T000000Z.partial", "mine", "20200101T000000Z"] {
                try Self.manager.createDirectory(atPath: "\(folder)/\(other)", withIntermediateDirectories: false)
            }
            let third = try await backUp(deployment, folder, "--keep", "2")
            #expect(!Self.manager.fileExists(atPath: first))
            let left = try Self.manager.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
            #expect(Set(left) == [second, third, folder + "/mine", folder + "/20200101T000000Z"])
            // Also after the clock was set back.
            try Self.manager.moveItem(atPath: second, toPath: folder + "/29990101T000000Z")
            let fourth = try await backUp(deployment, folder, "--keep", "1")
            #expect(Self.manager.fileExists(atPath: fourth))
            #expect(!Self.manager.fileExists(atPath: folder + "/29990101T000000Z"))
        }
    }

    @Test func `keep leaves the backups of another deployment in the same directory`() async throws {
        try await withDeployment { deployment, directory in
            let folder = directory + "/backups"
            try await withDeployment { other, _ in
                let theirs = try await backUp(other, folder)
                let (first, second) = (try await backUp(deployment, folder), try await backUp(deployment, folder))
                let third = try await backUp(deployment, folder, "--keep", "2")
                let left = try Self.manager.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
                #expect(Set(left) == [theirs, second, third] && first != second)
            }
        }
    }

    @Test func `a backup has the programs in plugins·d, and names those that it has not`() async throws {
        try await withDeployment { deployment, directory in
            let plugins = deployment.root + "/plugins.d"
            try Self.manager.createDirectory(atPath: deployment.root + "/own", withIntermediateDirectories: false)
            for (name, program) in [("inside", "./inside.sh"), ("outside", "../own/outside.sh")] {
                let manifest =
                    #"{"name":"\#(name)","socket":"\#(name).sock","contracts":{},"run":["sh","\#(program)"]}"#
                try Data("exit 0".utf8).write(to: URL(filePath: "\(plugins)/\(program)"))
                try Data(manifest.utf8).write(to: URL(filePath: "\(plugins)/\(name).json"))
            }
            let outcome = try await deployment.gateway(["backup", directory + "/backups"])
            let backup = outcome.output.trimmingCharacters(in: .newlines)
            let outside = deployment.root + "/own/outside.sh"
            #expect(outcome.status == 0 && outcome.errors == "not in the backup: the program of a plugin, \(outside)\n")
            #expect(Self.manager.fileExists(atPath: backup + "/plugins.d/inside.sh"))
        }
    }

    // MARK: Failures

    @Test func `a full disk, a used place and a missing root are one line each and change nothing`() async throws {
        try await withDeployment { deployment, directory in
            let file = directory + "/file"
            try Data().write(to: URL(filePath: file))
            for (folder, code, text) in [
                (deployment.root + "/run/backups", 64, "would be lost with it"), (file, 73, "not a folder"),
                (directory + "/none/backups", 73, "its folder does not exist"),
            ] {
                let outcome = try await deployment.gateway("backup", folder)
                #expect(outcome.status == code && outcome.errors.contains(text), "\(outcome)")
                #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
            }
            #expect(!Self.manager.fileExists(atPath: deployment.root + "/run/backups"))
            let none = try await Program("gateway").run(["backup", directory + "/b", "--root", directory + "/none"])
            #expect(none.status == 66 && !Self.manager.fileExists(atPath: directory + "/b"), "\(none)")
        }
    }

    /// Needs root, to mount a small disk.
    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `a disk with too little space keeps the earlier backups only`() async throws {
        try await withDeployment { deployment, directory in
            try await Tmpfs.with(at: directory + "/disk", megabytes: 1) { disk in
                let first = try await backUp(deployment, disk)
                for _ in 0..<60 { try await publish(UUID(), deployment) }
                let outcome = try await deployment.gateway("backup", disk, "--keep", "1")
                #expect(outcome.status == 73 && outcome.errors.contains("make room"), "\(outcome)")
                #expect(try Self.manager.contentsOfDirectory(atPath: disk).map { "\(disk)/\($0)" } == [first])
            }
        }
    }

    @Test func `a backup that is killed leaves no backup`() async throws {
        try await withTemporaryDirectory { directory in
            // A program of the feed that never ends.
            let (programs, pid) = (directory + "/programs", directory + "/pid")
            try Self.manager.createDirectory(atPath: programs, withIntermediateDirectories: false)
            try Self.manager.createDirectory(atPath: directory + "/root", withIntermediateDirectories: false)
            try Self.manager.copyItem(atPath: Program("gateway").path, toPath: programs + "/gateway")
            try Data("#!/bin/sh\necho $$ > \(pid).new; mv \(pid).new \(pid)\nexec sleep 100000\n".utf8).write(
                to: URL(filePath: programs + "/feed-service"))
            chmod(programs + "/feed-service", 0o755)
            let folder = directory + "/backups"
            let gateway = try Program(path: programs + "/gateway").start(
                ["backup", folder, "--root", directory + "/root"], errors: nil)
            try await eventually { Self.manager.fileExists(atPath: pid) }
            gateway.send(SIGKILL)
            #expect(await gateway.ended() == 128 + SIGKILL)
            let service = try #require(
                Int32(String(contentsOfFile: pid, encoding: .utf8).trimmingCharacters(in: .newlines)))
            kill(service, SIGKILL)
            let names = try Self.manager.contentsOfDirectory(atPath: folder)
            #expect(names.count == 1 && names.first?.hasSuffix("Z.partial") == true, "\(names)")
        }
    }

    @Test func `a damaged, foreign or future backup, and a root with files, change nothing`() async throws {
        try await withDeployment { deployment, directory in
            let backup = try await backUp(deployment, directory + "/backups")
            let root = directory + "/other"
            func expect(_ code: Int32, _ text: String, _ backup: String) async throws {
                let outcome = try await restore(backup, to: root)
                #expect(outcome.status == code && outcome.errors.contains(text), "\(outcome)")
                #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
                #expect(!Self.manager.fileExists(atPath: root))
            }
            try await expect(66, "such as \(backup)", directory + "/backups")
            try await expect(66, "has no backup.json", directory + "/none")

            let damaged = try changed(backup, in: directory, "damaged")
            let file = try FileHandle(forUpdating: URL(filePath: damaged + "/data/comments.sqlite"))
            try file.seek(toOffset: 5_000)
            try file.write(contentsOf: Data([0x55]))
            try file.close()
            try await expect(65, "comments.sqlite does not match its SHA-256", damaged)

            let incomplete = try changed(backup, in: directory, "incomplete")
            try Self.manager.removeItem(atPath: incomplete + "/plugins.d/feed.json")
            try await expect(65, "plugins.d/feed.json is missing", incomplete)

            let future = try changed(backup, in: directory, "future")
            try await replace("\"format\":1", by: "\"format\":2", in: future)
            try await expect(65, "newer format; install that version", future)

            let outside = try changed(backup, in: directory, "outside")
            try await replace("plugins.d/feed.json", by: "../feed.json", in: outside)
            try await expect(65, "must be a path inside the backup", outside)

            // The second store is refused after the first one was restored.
            let newer = try changed(backup, in: directory, "newer")
            let change = """
                import hashlib, json, sqlite3, sys
                path = sys.argv[1] + "/data/comments.sqlite"
                db = sqlite3.connect(path)
                db.execute("INSERT INTO grdb_migrations VALUES ('9999 later')")
                db.commit()
                db.close()
                manifest = json.load(open(sys.argv[1] + "/backup.json"))
                content = open(path, "rb").read()
                for file in manifest["files"]:
                    if file["path"] == "data/comments.sqlite":
                        file["size"], file["sha256"] = len(content), hashlib.sha256(content).hexdigest()
                json.dump(manifest, open(sys.argv[1] + "/backup.json", "w"))
                """
            let python = try await Program(path: "/usr/bin/env").run(["python3", "-c", change, newer])
            #expect(python.status == 0, "\(python.errors)")
            try await expect(65, "newer version", newer)

            try Self.manager.createDirectory(atPath: root, withIntermediateDirectories: false)
            try Data().write(to: URL(filePath: root + "/mine"))
            let outcome = try await restore(backup, to: root)
            #expect(outcome.status == 73 && outcome.errors.contains("has files"), "\(outcome)")
            #expect(try Self.manager.contentsOfDirectory(atPath: root) == ["mine"])

            // What a killed command leaves.
            try Self.manager.removeItem(atPath: root + "/mine")
            try Self.manager.createDirectory(
                atPath: root + "/restore.partial/data", withIntermediateDirectories: true)
            let again = try await restore(backup, to: root)
            #expect(again.status == 0, "\(again)")
            #expect(
                try Self.manager.contentsOfDirectory(atPath: root).sorted() == ["data", "plugins.d", "run", "stores"])
        }
    }

    private func changed(_ backup: String, in directory: String, _ name: String) throws -> String {
        let copy = "\(directory)/\(name)"
        try Self.manager.copyItem(atPath: backup, toPath: copy)
        return copy
    }

    private func replace(_ text: String, by other: String, in backup: String) async throws {
        let path = backup + "/backup.json"
        let manifest = try String(contentsOfFile: path, encoding: .utf8)
        #expect(manifest.contains(text))
        try Data(manifest.replacing(text, with: other).utf8).write(to: URL(filePath: path))
    }
}
