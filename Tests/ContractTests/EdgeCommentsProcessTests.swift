import CommentsContract
import Foundation
import RPC
import RPCTestKit
import Testing

/// comments-service with an upstream, as a process.
@Suite struct EdgeCommentsProcessTests {
    private let image = UUID()

    @Test func `cached comments are served without the upstream, also after a restart and a crash`() async throws {
        try await withTemporaryDirectory { root in
            let url = try await OriginServer.with(Self.script) { upstream in
                let failure = await #expect(throws: RunningService.Failure.self) {
                    try await edge(root, upstream.url) { service in
                        let page = try await list(service)
                        #expect(page.items.map(\.message) == ["Lovely!"])
                        #expect(page.origin == .remote)
                        service.kill()
                    }
                }
                #expect(failure?.status == 128 + SIGKILL)
                return upstream.url
            }
            // Normally no process listens on this port now. If one does, it is not an upstream.
            try await edge(root, url) { service in
                for _ in 1...2 {
                    let page = try await list(service)
                    #expect(page.items.map(\.message) == ["Lovely!"])
                    #expect(page.origin == .cache)
                    #expect(page.savedAt != nil)
                }
                let health = try await service.client.call(ProtocolMethods.health, ServiceSelection())
                #expect(health.checks.map(\.name) == ["cache", "upstream"])
                #expect(health.checks.map(\.status) == [.serving, .degraded])
                // The start line, and the line about the absent upstream.
                #expect(await service.logLines(with: "no good answer").count == 2)
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: root + "/data")
            #expect(files.count == 1 && files.allSatisfy { $0.hasPrefix("comments-edge-") })
        }
    }

    @Test func `without a usable store it serves, and logs that once`() async throws {
        try await withTemporaryDirectory { root in
            // A directory with files, which is not renamed.
            let store = root
            try await OriginServer.with(Self.script) { upstream in
                try await edge(root, upstream.url, "--store", store) { service in
                    for _ in 1...2 {
                        let page = try await list(service)
                        #expect(page.origin == .remote)
                        #expect(page.notices == [.notKept])
                    }
                    let health = try await service.client.call(ProtocolMethods.health, ServiceSelection())
                    #expect(health.status == .degraded)
                    #expect(service.log.split(separator: "\n").count == 2)
                }
                let failure = await #expect(throws: RunningService.Failure.self) {
                    try await edge(root, upstream.url, "--store", store, "--strict-store") { _ in }
                }
                #expect(failure?.status == 70)
            }
        }
    }

    private func edge(
        _ root: String, _ upstream: String, _ arguments: String..., body: (RunningService) async throws -> Void
    ) async throws {
        try await RunningService.with("comments", root: root, arguments: ["--upstream", upstream] + arguments, body)
    }

    private func list(_ service: RunningService) async throws -> ListedComments {
        try await service.client.call(CommentsContract.list, ListComments(imageID: image))
    }

    private static let script: OriginServer.Script = { _ in
        [
            .response(
                text: """
                    {"items":[{"id":"\(UUID())","message":"Lovely!","created_at":"2026-03-01T12:00:00Z",
                    "author":{"username":"ana"}}]}
                    """)
        ]
    }
}
