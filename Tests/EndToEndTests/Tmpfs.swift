import Foundation
import RPCTestKit

/// A small disk (tmpfs) for a test. Mounting it needs root.
enum Tmpfs {
    static func with<Result>(
        at path: String, megabytes: Int, isolation: isolated (any Actor)? = #isolation,
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try await command("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path)
        do {
            let result = try await body(path)
            try await command("umount", "-l", path)
            return result
        } catch {
            try await command("umount", "-l", path)
            throw error
        }
    }

    private static func command(_ arguments: String...) async throws {
        let outcome = try await Program(path: "/usr/bin/env").run(arguments)
        guard outcome.status == 0 else { throw Failure(output: outcome.errors) }
    }

    struct Failure: Error {
        let output: String
    }
}
