import Foundation
import RPCTestKit
import Testing

/// One suite per service, so that each can be tested without the others.

@Suite struct FeedContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("feed")))
    func `feed-service fulfils its contract`(script: ContractScript) async throws {
        try await expect("feed", keeps: script)
    }
}

/// An edge without an answering upstream and with an empty cache.
@Suite struct FeedEdgeContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("feed-edge")))
    func `feed-service with an upstream fulfils its contract`(script: ContractScript) async throws {
        // No server listens on port 1.
        try await expect("feed", ["--upstream", "http://127.0.0.1:1"], keeps: script)
    }
}

@Suite struct CommentsContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("comments")))
    func `comments-service fulfils its contract`(script: ContractScript) async throws {
        try await expect("comments", keeps: script)
    }
}

@Suite struct ImageDataContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("image-data")))
    func `image-data-service fulfils its contract`(script: ContractScript) async throws {
        // The test must not contact other hosts, and its bytes are no real pictures.
        try await expect("image-data", ["--no-fetch", "--variants", "off"], keeps: script)
    }
}

private func expect(_ service: String, _ arguments: [String] = [], keeps script: ContractScript) async throws {
    let findings = try await RunningService.with(service, arguments: arguments) {
        try await script.play(with: $0.client)
    }
    #expect(findings == [])
}

private func scripts(_ service: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: service).path()
}
