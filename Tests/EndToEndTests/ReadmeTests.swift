import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

/// The commands and links in the documents for users work.
@Suite struct ReadmeTests {
    /// In the order in which a user reads them.
    private static let documents = [
        "README.md", "deploy/README.md", "deploy/kubernetes/README.md", "Services/Gateway/README.md",
        "Shared/EdgeKit/README.md",
        "Services/Examples/README.md", "Shared/RPC/README.md", "Shared/SECURITY.md",
    ]

    /// `PluginGuideTests` runs the commands of this one.
    private static let guide = "Services/Examples/README.md"

    /// Commands that other tests run: deployment tests run `deploy/up`, those in `Tests/Systemd` run it under systemd, `deploy/test`
    /// runs these tests, `Tests/Terminal` browses, `WatchTests` runs watches and `PrometheusTests` Prometheus, which do not end by
    /// themselves.
    private static let runElsewhere = [
        "deploy/up", "deploy/up --root /tmp/edge --http-port 8081 --upstream http://127.0.0.1:8080", "deploy/test",
        "gateway watch", "gateway browse", "deploy/up --systemd --user www-data --root /srv/image-feed",
        #"systemctl list-dependencies 'image-feed@srv-image\x2dfeed.target'"#,
        "prometheus --config.file=deploy/prometheus/prometheus.yml", "deploy/down", "deploy/up",
        "deploy/image --tag localhost/image-feed:latest", "kubectl apply -k deploy/kubernetes/single",
        "kubectl cp photographs POD:/tmp/photographs -c gateway",
        "kubectl exec POD -c gateway -- gateway import /tmp/photographs",
        "kubectl create secret generic image-feed --from-literal=database-password=… --from-literal=token=…",
        "kubectl apply -k deploy/kubernetes/origin", "kubectl apply -k deploy/kubernetes/edge",
    ]

    @Test func `every command of the documents works unchanged`() async throws {
        let commands = try Self.documents.filter { $0 != Self.guide }.flatMap { document in
            try blocks("sh", of: document).flatMap { $0.split(separator: "\n").map(String.init) }
        }
        #expect(commands.count > 15)
        let ours = commands.filter { !Self.runElsewhere.contains($0) }
        #expect(commands.count - ours.count == Self.runElsewhere.count)
        // Two commands need a database.
        let server = PostgresServer.isInstalled ? try PostgresServer.shared.get() : nil
        try server?.execute("CREATE ROLE feed")
        let toRun = ours.filter { server != nil || !$0.hasPrefix("createdb ") && !$0.hasPrefix("gateway copy ") }
        try await Deployment.with { deployment in
            let imported = try await deployment.gateway("import", Program.repository + "/deploy/sample")
            #expect(imported.status == 0)
            let feed = try await deployment.gateway("feed", "--limit", "2", "--json")
            let ids = feed.output.matches(of: /"id":"([0-9A-F-]{36})"/).map(\.output.1)
            // The commands of the README end by removing the first image.
            let (id, other) = (try #require(ids.first), try #require(ids.last))
            let port = try deployment.httpPort()
            try await withTemporaryDirectory { directory in
                for command in toRun {
                    let line = command.replacing("IMAGE_ID", with: command.hasPrefix("curl") ? other : id).replacing(
                        "deploy/sample", with: Program.repository + "/deploy/sample"
                    ).replacing("picture.jpg", with: directory + "/picture.jpg")
                        .replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
                        .replacing("TIME", with: try latest(directory + "/backup"))
                        .replacing(" /backup", with: " \(directory)/backup")
                        .replacing("/srv/other", with: directory + "/other")
                        .replacing(
                            #/copy 'postgres.*'/#, with: "copy 'postgres:///feed?host=\(server?.directory ?? "")'")
                    let outcome = try await Program(path: "/bin/sh").run(
                        ["-c", line],
                        environment: [
                            "PATH": Program.directory + ":/usr/bin:/bin", "ROOT": deployment.root,
                            "PGHOST": server?.directory ?? "", "PGUSER": PostgresServer.user,
                        ])
                    #expect(outcome.status == 0, "\(command): \(outcome.errors)")
                    #expect(
                        !outcome.output.isEmpty || command.contains("-o ") || command.contains(" config set ")
                            || command.hasPrefix("createdb "), "\(command)")
                }
                #expect(FileManager.default.fileExists(atPath: directory + "/picture.jpg"))
            }
        }
    }

    /// The name of the latest backup in a directory; empty before the first.
    private func latest(_ directory: String) throws -> String {
        guard FileManager.default.fileExists(atPath: directory) else { return "" }
        return try FileManager.default.contentsOfDirectory(atPath: directory).max() ?? ""
    }

    @Test func `every package that Package.swift names is listed with its version and a known licence`() async throws {
        let outcome = try await Program(path: Program.repository + "/deploy/dependencies").run()
        #expect(outcome.status == 0, "\(outcome.errors)")
        let manifest = try text(of: "Package.swift")
        let packages = manifest.matches(of: /url: "[^"]*\/([^\/"]+)", exact: "([^"]+)"/).map(\.output)
        #expect(packages.count > 5)
        for package in packages {
            let line = try #require(outcome.output.split(separator: "\n").first { $0.hasPrefix("\(package.1) ") })
            #expect(line.contains(" \(package.2) ") && line.contains(#/ (MIT|BSD-[23]-Clause|Apache-2\.0)/#), "\(line)")
        }
        #expect(outcome.output.contains(#/\nsqlite3 .*\nzlib /#))
        #expect(!outcome.output.contains("none found") && !outcome.output.contains(" see "), "\(outcome.output)")
    }

    @Test func `the gateway accepts the manifest of the example`() async throws {
        let manifest = try #require(try blocks("json", of: Self.guide).first)
        try await withTemporaryDirectory { root in
            try FileManager.default.createDirectory(atPath: root + "/plugins.d", withIntermediateDirectories: true)
            try Data(manifest.utf8).write(to: URL(fileURLWithPath: root + "/plugins.d/places.json"))
            let gateway = try Program("gateway").start(["serve", "--root", root], errors: nil)
            defer { gateway.send(SIGKILL) }
            #expect(await gateway.errors.wait(for: "serving on"))
            let plugins = try await Program("gateway").run(["plugins", "--root", root])
            #expect(plugins.output.contains("places") && !gateway.errors.text.contains("refused"))
        }
    }

    @Test(arguments: documents)
    func `every linked file exists`(document: String) throws {
        let text = try self.text(of: document)
        let folder = (document as NSString).deletingLastPathComponent
        let links =
            text.matches(of: /\]\(([^)#]+)\)/).map { "\(folder)/\($0.output.1)" }.filter { !$0.contains("://") }
            + text.matches(of: /`(Services\/[^`*]+\.swift)`/).map { String($0.output.1) }
            + (folder == "Shared/RPC"
                ? text.matches(of: /`([A-Za-z+\/]+\.swift)`/).map { "\(folder)/\($0.output.1)" } : [])
        for link in links {
            #expect(FileManager.default.fileExists(atPath: "\(Program.repository)/\(link)"), "\(link)")
        }
    }

    private func text(of document: String) throws -> String {
        try String(contentsOfFile: "\(Program.repository)/\(document)", encoding: .utf8)
    }

    /// The fenced code blocks of a language.
    private func blocks(_ language: String, of document: String) throws -> [String] {
        try text(of: document).components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "\n```").first
        }
    }
}
