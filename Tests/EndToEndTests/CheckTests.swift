import Foundation
import RPCTestKit
import Testing

/// `gateway check` with the real programs.
@Suite struct CheckTests {
    private static let picture = Program.repository + "/deploy/sample/lighthouse.jpg"

    /// Changes a store of a deployment, beside its service.
    private func change(_ store: String, of deployment: Deployment, _ statement: String) async throws {
        let outcome = try await Program(path: "/usr/bin/env").run([
            "python3", "-c",
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute(sys.argv[2]); db.commit()",
            "\(deployment.root)/data/\(store).sqlite", statement,
        ])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func publish(_ deployment: Deployment) async throws {
        let outcome = try await deployment.gateway("publish", Self.picture, "--description", "Lighthouse")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `stores without a fault, also with the bytes of a removed item, are right`() async throws {
        try await Deployment.with { deployment in
            try await publish(deployment)
            let first = try await deployment.gateway("check")
            #expect(first.status == 0 && first.output == "No fault.\n" && first.errors.isEmpty, "\(first)")
            let feed = try await deployment.gateway("feed", "--json")
            let id = try #require(feed.output.firstMatch(of: /"id":"([0-9A-F-]{36})"/)?.output.1)
            #expect(try await deployment.gateway("remove", String(id)).status == 0)
            let second = try await deployment.gateway("check")
            #expect(second.status == 0 && second.errors.hasPrefix("1 stored images belong to no item"), "\(second)")
            let json = try await deployment.gateway("check", "--json")
            #expect(json.status == 0 && json.output.hasPrefix(#"{"faults":[],"orphans":["urn:sha256:"#), "\(json)")
        }
    }

    @Test func `damaged bytes are found beside the service, set aside when it is stopped, and put again`() async throws
    {
        try await Deployment.with { deployment in
            try await publish(deployment)
            try await change("image-data", of: deployment, "UPDATE content SET data = zeroblob(size)")
            let found = try await deployment.gateway("check")
            #expect(
                found.status == 1 && found.output.hasPrefix("image-data: \(deployment.root)/data/image-data.sqlite: "))
            #expect(found.output.contains("are damaged") && found.output.split(separator: "\n").count == 1, "\(found)")
            let refused = try await deployment.gateway("check", "--repair")
            #expect(refused.status == 69 && refused.errors.contains("deploy/down"), "\(refused)")

            for service in Deployment.services { try await deployment.program(service).stop() }
            let repaired = try await deployment.gateway("check", "--repair")
            #expect(repaired.status == 1 && repaired.output.contains("; moved to "), "\(repaired)")
            #expect(repaired.output.contains("bytes are missing; import the picture again"), "\(repaired)")
            let folder = deployment.root + "/data/image-data.sqlite.damaged"
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.count == 1)
            let missing = try await deployment.gateway("check")
            #expect(missing.status == 1 && missing.output.contains("bytes are missing"), "\(missing)")

            let services = try await withThrowingTaskGroup(of: RunningProgram.self) { group in
                for service in Deployment.services { group.addTask { try await deployment.start(service) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            defer { for service in services { service.send(SIGKILL) } }
            // The gateway connects again after a pause.
            try await eventually { try await deployment.gateway("health").status == 0 }
            try await publish(deployment)
            let again = try await deployment.gateway("check")
            #expect(again.status == 0, "\(again)")
        }
    }

    @Test func `a damaged store of an authority stays, and a check without a deployment is an error`() async throws {
        try await Deployment.with { deployment in
            try await publish(deployment)
            for service in Deployment.services { try await deployment.program(service).stop() }
            let path = deployment.root + "/data/feed.sqlite"
            let file = try FileHandle(forUpdating: URL(filePath: path))
            try file.seek(toOffset: 4_096)
            try file.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
            try file.close()
            let before = FileManager.default.contents(atPath: path)
            for arguments in [["check"], ["check", "--repair"]] {
                let outcome = try await deployment.gateway(arguments)
                #expect(outcome.status == 1 && outcome.output.contains("restore a backup"), "\(outcome)")
            }
            #expect(FileManager.default.contents(atPath: path) == before)
        }
        let none = try await Program("gateway").run(["check", "--root", "/nonexistent/root"])
        #expect(none.status == 66, "\(none)")
    }
}
