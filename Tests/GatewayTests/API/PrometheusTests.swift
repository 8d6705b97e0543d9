import Foundation
import RPCTestKit
import Testing

/// What Prometheus makes of `/metrics` (Debian: prometheus).
@Suite struct PrometheusTests {
    private static let folder = Program.repository + "/deploy/prometheus"

    private static func run(_ program: String, _ arguments: String..., input: String = "") async throws
        -> Program.Outcome
    {
        try await Program(path: "/usr/bin/env").run([program] + arguments, input: input)
    }

    @Test func `promtool finds no fault in the metrics of a deployment`() async throws {
        try await Deployment.with { deployment in
            let port = try deployment.httpPort()
            for target in ["/v1/feed", "/", "/nothing", "/v1/feed?limit=0"] {
                _ = try await HTTPPeer.exchange(port: port, target)
            }
            let metrics = try await HTTPPeer.exchange(port: port, "/metrics").text
            let outcome = try await Self.run("promtool", "check", "metrics", input: metrics)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)\n\(outcome.output)")
        }
    }

    @Test func `Prometheus scrapes a deployment, and the alert of a service that ends is pending`() async throws {
        try await Deployment.with { deployment in
            let port = try deployment.httpPort()
            _ = try await HTTPPeer.exchange(port: port, "/v1/feed")
            try await Self.withPrometheus(scraping: port) { query in
                try await eventually { try await query("image_feed_up{service=\"feed\"}") == ["1"] }
                let answered = #"image_feed_http_requests_total{route="/v1/feed",status="200"}"#
                #expect(try await query(answered) == ["1"])
                #expect(try await query(#"image_feed_http_first_byte_seconds_count{route="/v1/feed"}"#) == ["1"])
                #expect(try await query("count(image_feed_service_store_bytes)") == ["3"])
                try deployment.program("comments").send(SIGKILL)
                try await eventually { try await query(#"ALERTS{alertname="ImageFeedServiceDown"}"#) == ["1"] }
            }
        }
    }

    /// Runs Prometheus, and passes a function to `body` that returns the values of a query.
    private static func withPrometheus(
        scraping port: Int, _ body: (_ query: (String) async throws -> [String]) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let configuration = """
                global: {scrape_interval: 1s, evaluation_interval: 1s}
                rule_files: ["\(folder)/alerts.yml"]
                scrape_configs:
                - job_name: image-feed
                  static_configs: [{targets: ["127.0.0.1:\(port)"]}]
                """
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: directory + "/prometheus.yml"))
            let prometheus = try Program(path: "/usr/bin/env").start(
                [
                    "prometheus", "--config.file=\(directory)/prometheus.yml", "--storage.tsdb.path=\(directory)/data",
                    "--web.listen-address=127.0.0.1:0",
                ], errors: nil)
            do {
                #expect(await prometheus.errors.wait(for: "\"Listening on\""), "\(prometheus.errors.text)")
                let address = /"Listening on" address=127\.0\.0\.1:(\d+)/
                let found = try #require(prometheus.errors.text.firstMatch(of: address))
                let ownPort = try #require(Int(found.output.1))
                try await body { query in
                    let text = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                    let reply = try await HTTPPeer.exchange(
                        port: ownPort, "/api/v1/query?query=\(text)", ["Connection: close"])
                    return reply.text.matches(of: /"value":\[[^,]*,"([^"]*)"\]/).map { String($0.output.1) }
                }
            } catch {
                prometheus.send(SIGKILL)
                _ = await prometheus.ended()
                throw error
            }
            prometheus.send(SIGKILL)
            // It writes into the directory until it has ended.
            _ = await prometheus.ended()
        }
    }

    @Test func `each alert fires when its fault is there, and none without a fault`() async throws {
        let outcome = try await Self.run("promtool", "test", "rules", Self.folder + "/alerts-test.yml")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let alerts = try Self.text("alerts.yml").matches(of: /alert: (\w+)/).map { String($0.output.1) }
        let tests = try Self.text("alerts-test.yml")
        for alert in alerts {
            let mentions = tests.matches(of: try Regex(alert))
            #expect(mentions.count >= 2, "\(alert) has no test")
        }
    }

    @Test func `the configuration is one that Prometheus accepts`() async throws {
        let outcome = try await Self.run("promtool", "check", "config", Self.folder + "/prometheus.yml")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test(arguments: ["alerts.yml", "dashboard.json"])
    func `alerts and panels use metrics that exist`(file: String) async throws {
        // Edges report these, or a service after its first failure.
        let others: Set = ["image_feed_service_upstream_answer_age_seconds", "image_feed_call_errors_total"]
        let names = Set(try Self.text(file).matches(of: /image_feed_[a-z_]*[a-z]\b/).map { String($0.output) })
        try await Deployment.with { deployment in
            let port = try deployment.httpPort()
            _ = try await HTTPPeer.exchange(port: port, "/v1/feed")
            let metrics = try await HTTPPeer.exchange(port: port, "/metrics").text
            let known = Set(metrics.split(separator: "\n").map { String($0.prefix { $0 != "{" && $0 != " " }) })
            #expect(names.subtracting(known).subtracting(others) == [])
        }
    }

    private static func text(_ name: String) throws -> String {
        try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
    }
}
