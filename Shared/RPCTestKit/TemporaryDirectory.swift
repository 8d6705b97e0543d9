import Foundation
import JSON

/// Creates a directory for the duration of `body`. Its path is short, because the length of socket paths is limited.
public func withTemporaryDirectory<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
    let path = "/tmp/if-" + UUID.random().uuidString.prefix(8)
    try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
