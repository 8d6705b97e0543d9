import RPCTestKit
import Testing

/// The unmodified client with the system's resolver, in a network namespace that has public addresses. So the tests need no
/// exceptions from the address rules.
@Suite(
    .serialized,
    .enabled(if: NetworkNamespace.isPossible, "needs root, the `ip` program and python3"))
struct NamespaceTests {
    @Test func `a name is looked up once, so a different second answer has no effect`() async throws {
        let lines = try await fetch(
            ["http://rebinding.test/secret"], answers: ["rebinding.test": ["93.184.216.34", "then", "127.0.0.1"]])
        #expect(lines == ["200 public /secret"])
    }

    @Test func `a name that has become private is refused at the next lookup`() async throws {
        // The first response closes the connection, so that the second request needs a new one.
        let lines = try await fetch(
            ["http://rebinding.test/close", "http://rebinding.test/secret"],
            answers: ["rebinding.test": ["93.184.216.34", "then", "127.0.0.1"]])
        #expect(lines.first == "200 public /close")
        #expect(lines.last?.contains("127.0.0.1, which is not a public address (loopback)") == true, "\(lines)")
    }

    @Test func `a name is fetched from its public address, and proxies of the environment are ignored`() async throws {
        let lines = try await fetch(
            ["http://good.test/"], answers: ["good.test": ["93.184.216.34"]],
            environment: [
                "http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9",
                "all_proxy": "http://127.0.0.1:9",
            ])
        #expect(lines == ["200 public /"])
    }

    private func fetch(
        _ urls: [String], answers: [String: [String]], environment: [String: String] = [:]
    ) async throws -> [String] {
        try await NetworkNamespace.with(answers) { namespace in
            let outcome = try await namespace.run([Program("upstream-get").path] + urls, environment: environment)
            #expect(outcome.errors == "")
            return outcome.output.split(separator: "\n").map(String.init)
        }
    }
}
