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

    @Test func `Prometheus scrapes a deployment with the configuration of the documents`() async throws {
        try await Deployment.with { deployment in
            let port = try deployment.httpPort()
            _ = try await HTTPPeer.exchange(port: port, "/v1/feed")
            try await Self.withPrometheus(scraping: port) { prometheus in
                try await eventually { try await prometheus.values(of: #"image_feed_up{service="feed"}"#) == ["1"] }
                for (query, value) in [
                    (#"image_feed_http_requests_total{route="/v1/feed",status="200"}"#, "1"),
                    (#"image_feed_http_first_byte_seconds_count{route="/v1/feed"}"#, "1"),
                    ("count(image_feed_service_store_bytes)", "3"),
                ] {
                    let values = try await prometheus.values(of: query)
                    #expect(values == [value], "\(query)")
                }
            }
        }
    }

    /// What goes wrong in a deployment, by the alert that reports it.
    enum Fault: String, CaseIterable {
        case gatewayEnds = "ImageFeedGatewayDown"
        case serviceEnds = "ImageFeedServiceDown"
        case storeIsForeign = "ImageFeedUnhealthy"
        case serviceRestarts = "ImageFeedRestarts"
        case requestsFail = "ImageFeedErrors"
        case serviceHangs = "ImageFeedSlow"
        case upstreamRefuses = "ImageFeedUpstreamSilent"
        case storeIsWritten = "ImageFeedLogGrows"

        /// The content of `config.json`.
        var settings: String? {
            guard self == .upstreamRefuses else { return nil }
            return #"{"services":{"upstream":"http://127.0.0.1:1","allow-private-upstream":["127.0.0.1:1"]}}"#
        }

        /// Makes the fault, and returns when Prometheus reports it.
        func happen(in deployment: Deployment, watchedBy prometheus: Prometheus) async throws {
            let port = try deployment.httpPort()
            func load() async throws { _ = try await HTTPPeer.exchange(port: port, "/v1/feed") }
            switch self {
            case .gatewayEnds:
                try deployment.program("gateway").send(SIGKILL)
                try await prometheus.reports(self)
            case .serviceEnds:
                try deployment.program("comments").send(SIGKILL)
                try await prometheus.reports(self)
            case .storeIsForeign:
                try await deployment.program("comments").stop()
                try Data("no store".utf8).write(to: URL(fileURLWithPath: "\(deployment.root)/data/comments.sqlite"))
                try await deployment.restarting("comments") { try await prometheus.reports(self) }
            case .serviceRestarts:
                try await deployment.program("feed").stop()
                try await prometheus.reports(self) {
                    try await deployment.restarting("feed") {
                        // A restart is seen when the time is shorter than before.
                        let time = #"image_feed_uptime_seconds{service="feed"}"#
                        try await eventually { try await prometheus.values(of: time).contains { (Int($0) ?? 0) > 2 } }
                    }
                }
            case .requestsFail:
                try await load()
                try deployment.program("feed").send(SIGKILL)
                try await prometheus.reports(self, meanwhile: load)
            case .serviceHangs:
                let feed = try deployment.program("feed")
                // A count that Prometheus knows is one that can rise.
                try await load()
                let count = #"image_feed_http_first_byte_seconds_count{route="/v1/feed"}"#
                try await eventually { try await prometheus.values(of: count) == ["1"] }
                feed.send(SIGSTOP)
                defer { feed.send(SIGCONT) }
                try await prometheus.reports(self, meanwhile: load)
            case .upstreamRefuses: try await prometheus.reports(self, meanwhile: load)
            case .storeIsWritten:
                _ = try await deployment.gateway("import", Program.repository + "/deploy/sample")
                try await prometheus.reports(self)
            }
        }
    }

    /// A running Prometheus.
    struct Prometheus {
        let port: Int

        func values(of query: String) async throws -> [String] {
            let text = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let reply = try await HTTPPeer.exchange(port: port, "/api/v1/query?query=\(text)", ["Connection: close"])
            return reply.text.matches(of: /"value":\[[^,]*,"([^"]*)"\]/).map { String($0.output.1) }
        }

        func isReporting(_ fault: Fault) async throws -> Bool {
            try await values(of: #"ALERTS{alertname="\#(fault.rawValue)",alertstate="firing"}"#).first == "1"
        }

        /// Waits for the alert of a fault.
        func reports(_ fault: Fault, meanwhile repeated: () async throws -> Void = {}) async throws {
            try await eventually {
                try await repeated()
                return try await isReporting(fault)
            }
        }
    }

    @Test func `each alert has a fault`() throws {
        let alerts = try Self.text("alerts.yml").matches(of: /alert: (\w+)/).map { String($0.output.1) }
        #expect(alerts.sorted() == Fault.allCases.map(\.rawValue).sorted())
    }

    @Test(arguments: Fault.allCases) func `an alert fires when its fault is made`(fault: Fault) async throws {
        try await Deployment.with(settings: fault.settings) { deployment in
            try await Self.withPrometheus(scraping: try deployment.httpPort()) { prometheus in
                try await eventually { try await prometheus.values(of: #"image_feed_up{service="gateway"}"#) == ["1"] }
                // Before the first scrape there is no gateway.
                try await eventually { try await !prometheus.isReporting(fault) }
                try await fault.happen(in: deployment, watchedBy: prometheus)
            }
        }
    }

    /// What is slow in the test or would take minutes is shorter; `promtool test rules` tests the numbers themselves.
    private static func shortened(_ rules: String) -> String {
        var rules = rules.replacing(/for: \d+m/, with: "for: 0s")
        for (long, short) in [
            // The answers that wait for the service that hangs, and no other that a slow machine has delayed.
            ("_bucket[5m]))) > 1\n", #"_bucket{route="/v1/feed"}[5m]))) > 2"# + "\n"), (" > 900", " > 0"),
            (" > 268435456", " > 0"),
        ] {
            #expect(rules.contains(long))
            rules = rules.replacing(long, with: short)
        }
        return rules
    }

    /// Runs Prometheus with the configuration of the documents and shortened rules, for the time of
    /// `body`.
    private static func withPrometheus(
        scraping port: Int, _ body: (Prometheus) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let configuration = try text("prometheus.yml")
                // A scrape may take as long as the interval, and waits a second for a service that hangs.
                .replacing("scrape_interval: 15s", with: "scrape_interval: 2s\n  evaluation_interval: 1s")
                .replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)")
            try Data(configuration.utf8).write(to: URL(fileURLWithPath: directory + "/prometheus.yml"))
            try Data(shortened(text("alerts.yml")).utf8).write(to: URL(fileURLWithPath: directory + "/alerts.yml"))
            let prometheus = try Program(path: "/usr/bin/env").start(
                [
                    "prometheus", "--config.file=\(directory)/prometheus.yml", "--storage.tsdb.path=\(directory)/data",
                    "--web.listen-address=127.0.0.1:0",
                ], errors: nil)
            do {
                #expect(await prometheus.errors.wait(for: "\"Listening on\""), "\(prometheus.errors.text)")
                let address = /"Listening on" address=127\.0\.0\.1:(\d+)/
                let found = try #require(prometheus.errors.text.firstMatch(of: address))
                try await body(Prometheus(port: try #require(Int(found.output.1))))
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

    @Test func `promtool tests each alert with its numbers, and with those of a deployment without a fault`()
        async throws
    {
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
        let others: Set = [
            "image_feed_service_upstream_answer_age_seconds", "image_feed_service_upstream_failing_seconds",
            "image_feed_call_errors_total",
        ]
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
