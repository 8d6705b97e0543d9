import Foundation
import RPCTestKit
import Testing

/// One suite per service, so that each can be tested with nothing else started.

@Suite struct FeedContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("feed")))
    func `feed-service keeps its contract`(script: ContractScript) async throws {
        try await expect("feed", keeps: script)
    }
}

/// With an upstream that is not there, and nothing kept.
@Suite struct FeedEdgeContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("feed-edge")))
    func `feed-service with an upstream keeps its contract`(script: ContractScript) async throws {
        // Port 1 is nobody's.
        try await expect("feed", ["--upstream", "http://127.0.0.1:1"], keeps: script)
    }
}

@Suite struct CommentsContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("comments")))
    func `comments-service keeps its contract`(script: ContractScript) async throws {
        try await expect("comments", keeps: script)
    }
}

@Suite struct ImageDataContractTests {
    @Test(arguments: try ContractScript.all(in: scripts("image-data")))
    func `image-data-service keeps its contract`(script: ContractScript) async throws {
        // Nothing is asked of other hosts.
        try await expect("image-data", ["--no-fetch"], keeps: script)
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
