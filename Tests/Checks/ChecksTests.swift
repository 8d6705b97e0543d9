import Foundation
import RPCTestKit
import Testing

/// Every check of `deploy/test` has one deliberate violation under Fixtures, which proves that the check can fail. `builds` tests those
/// of the build.
struct ChecksTests {
    private static let fixtures = Program.repository + "/Tests/Checks/Fixtures"

    @Test(arguments: [
        (
            "feature-imports-library",
            "Services/Feed/Feature/FeedImage.swift:2: error: a feature must not import NIOCore, only Foundation, JSON"
        ),
        ("feature-imports-store", "Services/Feed/Feature/FeedImage.swift:1: error: a feature must not import GRDB"),
        (
            "presentation-imports-runtime",
            "Services/Gateway/Presentation/FeedViewModel.swift:2: error: the presentation must not import RPC"
        ),
        (
            "contract-imports-feature",
            "Services/Feed/Contract/FeedContract.swift:1: error: a contract must not import Feed"
        ),
        (
            "service-imports-other-contract",
            "Services/Comments/Service/CommentsService.swift:3: error: a service must not import FeedContract"
        ),
        (
            "service-imports-other-feature",
            "Services/Comments/Service/CommentsService.swift:1: error: a service must not import Feed"
        ),
        (
            "gateway-imports-feature",
            "Services/Gateway/App/Composition/Gateway.swift:1: error: the gateway must not import Feed"
        ),
        (
            "gateway-imports-store",
            "Services/Gateway/App/Gateway.swift:2: error: the gateway must not import SQLiteKit"
        ),
        (
            "shared-imports-contract",
            "Shared/RPC/Client/RPCClient.swift:1: error: shared code must not import FeedContract"
        ),
        (
            "json-imports-runtime",
            "Shared/JSON/RawJSON.swift:2: error: JSON must not import RPC, only FoundationEssentials"
        ),
        ("unknown-layer", "Services/Feed/Helpers/Helper.swift:1: error: is in none of a service's layers"),
        ("unknown-top-level", "Utilities:1: error: does not belong on the top level"),
    ])
    func `Check of imports refuses`(fixture: String, message: String) async throws {
        let outcome = try await checkImports(Self.fixtures + "/" + fixture)

        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix(message))
        #expect(outcome.output.split(separator: "\n").count == 1, "one violation, one message: \(outcome.output)")
    }

    @Test(arguments: [fixtures + "/words-in-texts", Program.repository])
    func `Check of imports accepts`(directory: String) async throws {
        let outcome = try await checkImports(directory)

        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `Format check refuses`() async throws {
        try await withTemporaryDirectory { directory in
            // The fixture has another extension, so that the check of the repository does not refuse it too.
            let file = directory + "/Feature.swift"
            try FileManager.default.copyItem(atPath: Self.fixtures + "/unformatted/Feature.swift.txt", toPath: file)
            try FileManager.default.copyItem(
                atPath: Program.repository + "/.swift-format", toPath: directory + "/.swift-format")

            let outcome = try await run("swift", "format", "lint", "--strict", "-r", directory)

            #expect(outcome.status == 1)
            #expect(outcome.text.contains("[Spacing]"), "\(outcome.text)")
        }
    }

    @Test(.enabled(if: ChecksTests.isThere("shellcheck"), "shellcheck is not installed"))
    func `Check of scripts refuses`() async throws {
        let outcome = try await run("shellcheck", "-x", Self.fixtures + "/unquoted/script.txt")

        #expect(outcome.status == 1)
        #expect(outcome.text.contains("SC2086"), "\(outcome.text)")
    }

    @Test func `direct dependencies have exact versions`() throws {
        let manifest = try String(contentsOfFile: Program.repository + "/Package.swift", encoding: .utf8)
        let dependencies = manifest.matches(of: /\.package\(url: "[^"]*", (\w+): "[0-9.]+"\)/)
        #expect(dependencies.count > 5)
        #expect(Set(dependencies.map(\.output.1)) == ["exact"] && !manifest.contains("from: \""))
    }

    private static let skips = """
        ◇ Test "a disk is full" started.
        ➜ Test "a disk is full" skipped: "needs root"
        ➜ Test plain() skipped.
        ✔ Test "nothing is skipped" passed after 0.1 seconds.

        """

    @Test(arguments: [("", 0), ("true", 1)])
    func `skipped tests are listed with the reason, and in CI lack of root is a failure`(
        ci: String, status: Int32
    ) async throws {
        try await withTemporaryDirectory { directory in
            try Data(Self.skips.utf8).write(to: URL(filePath: directory + "/log"))
            let outcome = try await stages("note_skipped \(directory)/log; report_stages", ["CI": ci])
            #expect(outcome.status == status)
            #expect(outcome.errors.contains("    \"a disk is full\": needs root\n"), "\(outcome.errors)")
            #expect(outcome.errors.contains("    plain(): no reason given\n"), "\(outcome.errors)")
            #expect(!outcome.errors.contains("nothing is skipped"), "\(outcome.errors)")
        }
    }

    @Test func `running tests are named when a run makes no progress, and too long a silence ends it`() async throws {
        let started =
            #"'◇ Test "a disk is full" started.' '◇ Test plain() started.' '✔ Test plain() passed after 1 s.'"#
        let outcome = try await withTemporaryDirectory { directory in
            try await stages(
                "watch_tests \(directory)/log < <(printf '%s\\n' \(started); exec sleep infinity) || code=$?; kill $!; exit $code",
                ["PROGRESS_SECONDS": "0.01"])
        }
        #expect(outcome.status == 1)
        #expect(outcome.output.hasSuffix("passed after 1 s.\n"), "\(outcome.output)")
        #expect(outcome.errors.contains("These tests run:\n  \"a disk is full\"\n"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("plain()"), "\(outcome.errors)")
    }

    @Test func `a stage without its packages is reported, and the run fails at its end`() async throws {
        let outcome = try await stages(
            "can_install() { false; }; provides Browser no-such-browser || echo goes on; report_stages", [:])
        #expect(outcome.status == 69)
        #expect(outcome.output == "goes on\n")
        #expect(outcome.errors.contains("    Browser: missing: no-such-browser\n"), "\(outcome.errors)")
    }

    /// Runs commands with the functions of `deploy/test`.
    private func stages(_ commands: String, _ environment: [String: String]) async throws -> Program.Outcome {
        let sources = ["deploy/lib/words.sh", "deploy/lib/needs.sh", "Tests/stages.sh"]
        return try await Program(path: "/bin/bash").run(
            ["-c", sources.map { "source \(Program.repository)/\($0); " }.joined() + commands], environment: environment
        )
    }

    private func checkImports(_ directory: String) async throws -> Program.Outcome {
        try await Program(path: Program.repository + "/Tests/Checks/imports").run([directory])
    }

    /// Runs a command of the PATH.
    private func run(_ command: String...) async throws -> Program.Outcome {
        try await Program(path: "/usr/bin/env").run(command)
    }

    private static func isThere(_ tool: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
}

extension Program.Outcome {
    /// Both streams, because the tools print errors to different ones.
    fileprivate var text: String { output + errors }
}
