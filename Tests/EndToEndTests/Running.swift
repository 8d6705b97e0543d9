import Foundation
import RPCTestKit

/// Runs a service by itself until `body` is done.
func withRunning<Result>(
    _ service: String, root: String, store: String? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (RunningProgram) async throws -> Result
) async throws -> Result {
    let program = try Program(service).start(
        ["--root", root] + (store.map { ["--store", $0] } ?? []), errors: nil)
    defer { program.send(SIGKILL) }
    guard await program.errors.wait(for: "serving on") else { throw DidNotStart(errors: program.errors.text) }
    return try await body(program)
}

struct DidNotStart: Error {
    let errors: String
}

/// A small disk of the test's own; mounting one takes root.
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

    static func makeReadOnly(_ path: String) async throws {
        try await command("mount", "-o", "remount,ro", path)
    }

    private static func command(_ arguments: String...) async throws {
        let outcome = try await Program(path: "/usr/bin/env").run(arguments)
        guard outcome.status == 0 else { throw Failure(output: outcome.errors) }
    }

    struct Failure: Error {
        let output: String
    }
}
