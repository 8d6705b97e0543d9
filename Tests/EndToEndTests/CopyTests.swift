import Foundation
import RPC
import RPCTestKit
import Testing

/// `gateway copy` with the real programs and a real database.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct CopyTests {
    private let server: PostgresServer
    private let url: String

    init() throws {
        server = try PostgresServer.shared.get()
        url = try server.newDatabase()
    }

    private func gateway(_ arguments: String...) async throws -> Program.Outcome {
        try await Program("gateway").run(arguments)
    }

    @Test func `a deployment is copied into a database and back`() async throws {
        try await Deployment.with { deployment in
            #expect(try await deployment.gateway("import", Program.repository + "/deploy/sample").status == 0)
            let feed = try await deployment.gateway("feed", "--json")
            let id = try #require(feed.output.firstMatch(of: /"id":"([0-9A-F-]{36})"/)?.output.1)
            #expect(try await deployment.gateway("comment", String(id), "Lovely", "--username", "ana").status == 0)

            let first = try await deployment.gateway("copy", url, "--json")
            #expect(first.status == 0, "\(first.errors)")
            #expect(try await deployment.gateway("comment", String(id), "Really", "--username", "eva").status == 0)
            let copied = try await deployment.gateway("copy", url, "--json")
            #expect(copied.status == 0 && copied.output != first.output, "\(copied.errors)")

            try await withTemporaryDirectory { root in
                try Data(#"{"services":{"store":"\#(url)"}}"#.utf8).write(to: URL(filePath: root + "/config.json"))
                let back = try await gateway("copy", "files", "--root", root, "--json")
                #expect(back.status == 0 && back.output == copied.output, "\(back.errors)")
                let same = try await gateway("copy", url, "--root", root)
                #expect(same.status == EX_USAGE && same.errors.contains("already"), "\(same.errors)")
                try FileManager.default.removeItem(atPath: root + "/config.json")
                let check = try await gateway("check", "--root", root)
                #expect(check.status == 0 && check.output == "No fault.\n", "\(check.output)\(check.errors)")
            }
        }
    }

    @Test func `a target that cannot be used is named, with the reason`() async throws {
        try await Deployment.with { deployment in
            let refusals: [(target: String, status: Int32, text: String)] = [
                ("postgres:///none?host=/nonexistent", EX_UNAVAILABLE, "no connection"),
                ("postgres://ana:secret@db.example/feed", EX_USAGE, "password"),
                ("data.sqlite", EX_USAGE, "or files, not data.sqlite"),
                ("files", EX_USAGE, "already"),
            ]
            for refusal in refusals {
                let outcome = try await deployment.gateway("copy", refusal.target)
                #expect(outcome.status == refusal.status && outcome.errors.contains(refusal.text), "\(outcome.errors)")
                #expect(!outcome.errors.contains("secret"))
            }
            let missing = try await gateway("copy", url, "--root", deployment.root + "/none")
            #expect(missing.status == EX_NOINPUT, "\(missing.errors)")
            #expect(try await deployment.gateway("health").status == 0)
        }
    }

    @Test func `a database with the feed of others is refused`() async throws {
        try await Deployment.with { deployment in
            let publish =
                #"{"items":[{"id":"E0FCB5F3-0B8B-4F2A-9C3D-2B1E5A7C9D11","image":"https://a.example/1.png"}]}"#
            #expect(try await deployment.gateway("call", "feed.publish", publish).status == 0)
            let copied = try await deployment.gateway("copy", url)
            #expect(copied.status == 0, "\(copied.errors)")
        }
        try await Deployment.with { deployment in
            let outcome = try await deployment.gateway("copy", url)
            #expect(outcome.status == EX_DATAERR && outcome.errors.contains("empty one"), "\(outcome.errors)")
        }
    }
}
