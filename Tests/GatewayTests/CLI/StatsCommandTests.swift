import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

@testable import gateway

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
            let sinceStart = try #require(lines.firstIndex(of: "Since the start"))
            let (recent, all) = (lines[..<sinceStart], lines[sinceStart...])
            #expect(recent.contains("In the last minute"))
            #expect(recent.contains { $0.contains(/^METHOD +CALLS\/S +P50 ≤ +P99 ≤ +UNDER WAY +ERRORS/) })
            #expect(recent.contains { $0.contains(/^feed\.\* +\d\.\d .* 0 +1 invalid_params$/) })
            #expect(all.contains { $0.contains(/^METHOD +CALLS +MEAN +P50 ≤ +P99 ≤ +UNDER WAY +ERRORS/) })
            #expect(all.contains { $0.contains(/^feed\.\* +4 +\d+ .* 0 +1 invalid_params$/) })
            #expect(all.contains { $0.contains(/^other +1 .* 0 +1 method_not_found$/) })

            let feed = try await deployment.gateway("stats", "feed").output
            #expect(feed.contains(/\nfeed\.load +4 +\d+ m?µ?s +\d+ m?µ?s +\d+ m?µ?s +0 +1 invalid_params/))

            let json = try await deployment.gateway("stats", "feed", "--json").output
            let statistics = try RawJSON(checking: json).read(as: Statistics.codec)
            #expect(statistics.methods["feed.load"]?.sinceStart.calls == 4)
            #expect(statistics.methods["feed.load"]?.sinceStart.latency.count == 4)
        }
    }

    @Test func `stats shows the HTTP requests by method and route, with their errors by status`() async throws {
        try await Deployment.with { deployment in
            let port = try deployment.httpPort()
            for target in ["/v1/feed", "/v1/feed?limit=0", "/nothing"] {
                _ = try await HTTPPeer.exchange(port: port, target)
            }
            // A request is counted after its client has the answer.
            try await eventually { try await deployment.gateway("stats").output.contains("unknown") }
            let text = try await deployment.gateway("stats").output
            for table in text.components(separatedBy: "Since the start") {
                #expect(table.contains(/\nGET \/v1\/feed +[\d.]+ .*1 400\n/), "\(text)")
                #expect(table.contains(/\nGET unknown +[\d.]+ .*1 404\n/), "\(text)")
            }
        }
    }

    @Test(
        arguments: [
            ([:], 90, [:]), (["a": 0], 90, [:]), (["a": 6], 90, ["a": "0.1"]), (["a": 6], 3, ["a": "2.0"]),
            (["a": 6, "b": 0, "c": 60_000], 0, ["a": "6.0", "c": "60000"]),
        ] as [([String: Int], Int, [String: String])])
    func `the last minute has the methods with calls, in calls per second`(
        calls: [String: Int], uptime: Int, rates: [String: String]
    ) throws {
        let methods = calls.map { name, count in
            let zero = #""errors":{},"latency":{"count":0,"sum_us":0,"buckets":[]}"#
            return #""\#(name)":{"calls":9,\#(zero),"last_minute":{"calls":\#(count),\#(zero)}}"#
        }
        let process = #""process":{"connections":1,"handlers":1,"queued_bytes":0,"uptime_s":\#(uptime)}"#
        let document = #"{"methods":{\#(methods.joined(separator: ","))},\#(process)}"#
        let output = Output(terminal: Terminal(terminals: [], windowColumns: nil, environment: [:]), color: .never)
        let text = try StatisticsText(
            statistics: RawJSON(checking: document).read(as: Statistics.codec), output: output
        ).ofLastMinute
        #expect(text.contains("No calls in the last minute.") == rates.isEmpty)
        let rows = text.matches(of: #/\n([abc]) +([\d.]+)/#).map { (String($0.output.1), String($0.output.2)) }
        #expect(Dictionary(uniqueKeysWithValues: rows) == rates)
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
