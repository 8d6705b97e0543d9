import FeedContract
import Foundation
import JSON
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// `/metrics`.
@Suite struct MetricsRouteTests {
    private static let openMetrics = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5"

    @Test func `clients that accept OpenMetrics get it, others the older format`() async throws {
        try await RunningAPI.with { api in
            _ = try await api.exchange("/v1/feed")
            await api.metrics.wait { $0.underWay == 0 }
            let old = try await api.exchange("/metrics")
            #expect(old["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(old.text.contains("# TYPE image_feed_http_requests_total counter\n"))
            #expect(!old.text.contains("# EOF"))
            let new = try await api.exchange("/metrics", [Self.openMetrics])
            #expect(new["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
            #expect(new.text.contains("# TYPE image_feed_http_requests counter\n"))
            #expect(new.text.contains("# UNIT image_feed_http_request_seconds seconds\n"))
            #expect(new.text.hasSuffix("# EOF\n"))
            #expect(new["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test func `requests are counted by route and status, and their times are in buckets`() async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            for target in ["/v1/feed", "/v1/feed?limit=0", "/metrics"] {
                try await peer.request(target)
                let text = try #require(await peer.receive()).text
                guard target == "/metrics" else { continue }
                let lines = Set(text.split(separator: "\n"))
                for status in [200, 400] {
                    #expect(
                        lines.contains(
                            "image_feed_http_requests_total{route=\"/v1/feed\",method=\"GET\",status=\"\(status)\"} 1"))
                }
                let labels = "route=\"/v1/feed\",method=\"GET\""
                #expect(lines.contains("image_feed_http_request_seconds_bucket{\(labels),le=\"+Inf\"} 2"))
                #expect(lines.contains("image_feed_http_request_seconds_count{\(labels)} 2"))
                #expect(lines.contains("image_feed_http_requests_under_way 1"))
            }
        }
    }

    @Test func `calls of each service are shown, and a service that does not answer is down`() async throws {
        var services = FakeServices()
        services.down = ["comments"]
        try await RunningAPI.with(services) { api in
            _ = try await api.exchange("/v1/feed")
            let lines = Set(try await api.exchange("/metrics").text.split(separator: "\n"))
            #expect(lines.contains(#"image_feed_calls_total{service="feed",method="feed.load"} 1"#))
            #expect(lines.contains(#"image_feed_call_seconds_count{service="feed",method="feed.load"} 1"#))
            #expect(lines.contains(#"image_feed_up{service="feed"} 1"#))
            #expect(lines.contains(#"image_feed_up{service="comments"} 0"#))
            #expect(lines.contains(#"image_feed_healthy{service="gateway"} 0"#))
            #expect(lines.contains(#"image_feed_build_info{version="1"} 1"#))
        }
    }

    @Test func `a service tells where it has found the bytes of images`() async throws {
        try await Deployment.with { deployment in
            let picture = Program.repository + "/deploy/sample/lighthouse.jpg"
            let published = try await deployment.gateway("publish", picture, "--json")
            let id = try #require(published.output.firstMatch(of: /"id":"([^"]+)"/)?.output.1)
            let port = try deployment.httpPort()
            let data = try await HTTPPeer.exchange(port: port, "/v1/image/\(id)/data")
            #expect(data.status == 200)
            let lines = try await HTTPPeer.exchange(port: port, "/metrics").text.split(separator: "\n")
            #expect(lines.contains("image_feed_service_cold_cache_hits_total{service=\"image-data\"} 1"))
            #expect(lines.contains("image_feed_service_cache_misses_total{service=\"image-data\"} 0"))
        }
    }

    @Test(arguments: ["Forwarded: for=192.0.2.1", "X-Forwarded-For: 192.0.2.1"])
    func `clients behind a proxy are refused unless the operator allows all`(field: String) async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("/metrics", [field])
            #expect(reply.status == 403)
            #expect(try reply.member("detail")?.contains("--metrics all") == true)
        }
        try await RunningAPI.with(metrics: .all) { api in
            let reply = try await api.exchange("/metrics", [field])
            #expect(reply.status == 200)
        }
    }

    @Test func `metrics can be off`() async throws {
        try await RunningAPI.with(metrics: .off) { api in
            let reply = try await api.exchange("/metrics")
            #expect(reply.status == 403)
        }
    }
}

/// The numbers that services report themselves.
@Suite struct MetricsDocumentTests {
    private static func document(_ services: [(String, String)]) throws -> String {
        let services = try services.map { name, members in
            let process = #""process":{"connections":1,"handlers":0,"queued_bytes":0,"uptime_s":9}"#
            let json = RawJSON(unchecked: Array(#"{"methods":{},\#(process),\#(members)}"#.utf8))
            return MetricsDocument.Service(
                name: name, isUp: true, statistics: try json.read(as: Statistics.codec))
        }
        return MetricsDocument(
            version: "1", services: services, health: [], http: HTTPMetrics().counts, queuedBytes: 0
        ).text(.openMetrics)
    }

    @Test func `a service that drains answers, is not healthy and says why`() throws {
        let health: [(String, Health.Status)] = [("feed", .draining), ("comments", .degraded), ("search", .serving)]
        let document = MetricsDocument(
            version: "1", services: [], health: health, http: HTTPMetrics().counts, queuedBytes: 0)
        let lines = Set(document.text(.openMetrics).split(separator: "\n"))
        for (name, healthy, draining) in [("feed", 0, 1), ("comments", 0, 0), ("search", 1, 0)] {
            #expect(lines.contains("image_feed_healthy{service=\"\(name)\"} \(healthy)"))
            #expect(lines.contains("image_feed_draining{service=\"\(name)\"} \(draining)"))
        }
    }

    @Test func `services with the same number are in one family`() throws {
        let text = try Self.document([
            ("feed", #""gauges":{"store_bytes":4096}"#),
            ("comments", #""gauges":{"store_bytes":8192},"counters":{"cache_hits":3}"#),
        ])
        #expect(
            text.contains(
                """
                # TYPE image_feed_service_store_bytes gauge
                # UNIT image_feed_service_store_bytes bytes
                # HELP image_feed_service_store_bytes Reported by the service.
                image_feed_service_store_bytes{service="feed"} 4096
                image_feed_service_store_bytes{service="comments"} 8192

                """))
        #expect(text.contains("image_feed_service_cache_hits_total{service=\"comments\"} 3\n"))
    }

    @Test func `names that would break the format are left out, and a family is written once`() throws {
        let text = try Self.document([
            (#"a"\b"#, #""gauges":{"x y":1,"A":2,"":3,"same":4},"counters":{"same":5}"#)
        ])
        let lines = text.split(separator: "\n").filter { $0.contains("image_feed_service_") && !$0.hasPrefix("#") }
        #expect(lines == [#"image_feed_service_same{service="a\"\\b"} 4"#])
    }
}
