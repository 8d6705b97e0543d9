import Foundation

/// A directory that lives as long as `body` runs. Its path is short, because socket paths have to be.
public func withTemporaryDirectory<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
    let path = "/tmp/if-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
