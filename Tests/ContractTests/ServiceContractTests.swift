import ContractKit
import Foundation
import RPCTestKit
import Testing

/// One suite per service, so that each can be tested without the others. `gateway verify` plays the same cases.

@Suite struct FeedContractTests {
    @Test(arguments: try suite("feed").cases)
    func `feed-service fulfils its contract`(contractCase: ContractCase) async throws {
        try await expect("feed-service", fulfils: contractCase, of: "feed")
    }
}

/// The services of an authority in PostgreSQL: each case has a database of its own.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresContractTests {
    @Test(arguments: try suite("feed").cases)
    func `feed-service fulfils its contract`(contractCase: ContractCase) async throws {
        let url = try PostgresServer.shared.get().newDatabase()
        try await expect("feed-service --store '\(url)'", fulfils: contractCase, of: "feed")
    }

    @Test(arguments: try suite("comments").cases)
    func `comments-service fulfils its contract`(contractCase: ContractCase) async throws {
        let url = try PostgresServer.shared.get().newDatabase()
        try await expect("comments-service --store '\(url)'", fulfils: contractCase, of: "comments")
    }

    @Test(arguments: try suite("image-data").cases)
    func `image-data-service fulfils its contract`(contractCase: ContractCase) async throws {
        let url = try PostgresServer.shared.get().newDatabase()
        try await expect(
            "image-data-service --no-fetch --variants off --store '\(url)'", fulfils: contractCase, of: "image-data")
    }
}

/// An edge without an answering upstream and with an empty cache.
@Suite struct FeedEdgeContractTests {
    @Test(arguments: try suite("feed-edge").cases)
    func `feed-service with an upstream fulfils its contract`(contractCase: ContractCase) async throws {
        // No server listens on port 1.
        try await expect("feed-service --upstream http://127.0.0.1:1", fulfils: contractCase, of: "feed-edge")
    }
}

@Suite struct CommentsContractTests {
    @Test(arguments: try suite("comments").cases)
    func `comments-service fulfils its contract`(contractCase: ContractCase) async throws {
        try await expect("comments-service", fulfils: contractCase, of: "comments")
    }
}

@Suite struct ImageDataContractTests {
    @Test(arguments: try suite("image-data").cases)
    func `image-data-service fulfils its contract`(contractCase: ContractCase) async throws {
        // The test must not contact other hosts, and its bytes are no real pictures.
        try await expect("image-data-service --no-fetch --variants off", fulfils: contractCase, of: "image-data")
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/vipsthumbnail")),
        arguments: try suite("image-data").cases)
    func `image-data-service with variants fulfils its contract`(contractCase: ContractCase) async throws {
        try await expect("image-data-service --no-fetch", fulfils: contractCase, of: "image-data")
    }
}

/// The time of a step, on a machine that may be busy with other tests.
let patientTime: Duration = .seconds(60)

private func expect(_ service: String, fulfils contractCase: ContractCase, of name: String) async throws {
    let command = "exec \(Program.directory)/\(service) --root {root}"
    let verification = Verification([try suite(name).only(contractCase)], of: .command(command), timeout: patientTime)
    let report = try await verification.run()
    #expect(report.isPassed, "\(report.text)")
}

func suite(_ name: String) throws -> ContractSuite { try ContractSuite(folder: contractFolder(name)) }

/// The folder of a contract, or another file beside them.
func contractFolder(_ name: String) -> String {
    "\(Program.repository)/Tests/Contracts/\(name)"
}
