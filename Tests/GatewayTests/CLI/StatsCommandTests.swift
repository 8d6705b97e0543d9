import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

@Suite struct StatsCommandTests {
    @Test func `stats shows the calls of the gateway and of a service`() async throws {
        try await Deployment.with { deployment in
            for _ in 0..<3 { _ = try await deployment.gateway("call", "feed.load", "limit=1") }
            _ = try await deployment.gateway("call", "feed.load", "limit=0")
            _ = try await deployment.gateway("call", "nobody.load")

            let own = try await deployment.gateway("stats")
            #expect(own.status == 0)
            let lines = own.output.split(separator: "\n")
            #expect(
                lines.first?.contains(/^up \d+ s, \d+ connections?, 1 handler, \d+ bytes? queued, \d+ MiB of memory$/)
                    == true)
            #expect(lines.contains { $0.contains(/^METHOD +CALLS +UNDER WAY +MEAN +P50 ≤ +P99 ≤ +ERRORS/) })
            #expect(lines.contains { $0.contains(/^feed\.\* +4 +0 +\d+ .*1 invalid_params$/) })
            #expect(lines.contains { $0.contains(/^other +1 +0 .*1 method_not_found$/) })

            let feed = try await deployment.gateway("stats", "feed").output
            #expect(feed.contains(/\nfeed\.load +4 +0 +\d+ m?µ?s +\d+ m?µ?s +\d+ m?µ?s +1 invalid_params/))

            let json = try await deployment.gateway("stats", "feed", "--json").output
            let statistics = try RawJSON(checking: json).read(as: Statistics.codec)
            #expect(statistics.methods["feed.load"]?.calls == 4)
            #expect(statistics.methods["feed.load"]?.latency.count == 4)
        }
    }

    @Test func `an unknown service is invalid usage, and one that is down is unavailable`() async throws {
        try await Deployment.with { deployment in
            let unknown = try await deployment.gateway("stats", "nobody")
            #expect(unknown.status == 64 && unknown.errors.contains("nobody") && unknown.output.isEmpty)
            for command in ["stats", "describe", "health"] {
                let near = try await deployment.gateway(command, "fed")
                let reason =
                    "gateway: the service: fed is unknown; did you mean feed? There are comments, feed, image-data"
                #expect(near.status == 64 && near.errors.hasPrefix(reason), "\(near.errors)")
            }
            try await deployment.program("comments").stop()
            #expect(try await deployment.gateway("stats", "comments").status == 69)
            #expect(try await deployment.gateway("stats").status == 0)
        }
    }
}
