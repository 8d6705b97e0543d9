import Foundation
import RPCTestKit
import Testing

/// Origin → edge → edge: each is started by `deploy/up` and reads from the HTTP API of the previous one.
struct TierTests {
    @Test func `an edge serves its cache while its origin is down, and recovers`() async throws {
        let port = try lastingPort()
        try await SupervisedDeployment.with(["--http-port", "\(port)"]) { origin, _ in
            let upstream = ["--upstream", "http://127.0.0.1:\(port)"]
            try await SupervisedDeployment.with(upstream) { edge, started in
                #expect(started.status == 0 && started.output.hasPrefix("My Feed\n"), "\(started.errors)")
                let shown = try await Walk(port)
                #expect(shown.images.count == 24)
                #expect(try await Walk(try edge.httpPort()) == shown)
                // An edge is read-only, so it refuses a comment on any image.
                #expect(try await edge.gateway("comment", UUID().uuidString, "Lovely!").status == 77)

                _ = try await origin.down()
                let offline = try await Walk(try edge.httpPort())
                #expect(offline == shown)
                #expect(offline.ages.allSatisfy { $0 != nil })

                // It stays an edge and serves its cache without the origin.
                _ = try await edge.down()
                let restarted = try await edge.up()
                #expect(restarted.output.contains("cached copy from"), "\(restarted.errors)")
                #expect(try await Walk(try edge.httpPort()) == shown)
                // `up` does not wait for an absent upstream or an optional plugin that does not run, and does not
                // fail because of them.
                let manifest = #"{"name":"likes","socket":"likes.sock","contracts":{},"required":false}"#
                try Data(manifest.utf8).write(to: URL(filePath: edge.root + "/plugins.d/likes.json"))
                #expect(try await edge.gateway("health").status == 1)
                let again = try await edge.up()
                #expect(again.status == 0 && again.output.contains("cached copy from"), "\(again.errors)")

                let id = UUID().uuidString
                #expect(try await origin.up("--http-port", "\(port)").status == 0)
                let published = try await origin.gateway(
                    "publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
                #expect(published.status == 0, "\(published.errors)")
                let page = try await edge.gateway("feed", "--limit", "1")
                #expect(page.output.contains(id) && !page.output.contains("cached copy"))
            }
        }
    }

    /// The origin's events tell the edge of changes, so it need not ask for each reader.
    @Test func `an edge asks its origin once for many readers, and shows each change`() async throws {
        try await SupervisedDeployment.with { origin, _ in
            let port = try origin.httpPort()
            try await SupervisedDeployment.with(["--upstream", "http://127.0.0.1:\(port)"]) { edge, _ in
                let edgePort = try edge.httpPort()
                let image = try #require(try await Walk(edgePort).order.first)
                let targets = ["/v1/feed", "/v1/feed?limit=5&after_id=\(image)", "/v1/image/\(image)/comments"]
                func read() async throws -> String {
                    var text = ""
                    for target in targets {
                        text += String(
                            decoding: try await HTTPPeer.exchange(port: edgePort, target).body, as: UTF8.self)
                    }
                    return text
                }
                /// Reads until all three answers come without a request to the origin: then the edge follows the events.
                func readUntilQuiet() async throws {
                    var (before, after) = (-1, try await origin.answered())
                    while before != after {
                        _ = try await read()
                        (before, after) = (after, try await origin.answered())
                    }
                }
                try await readUntilQuiet()
                let before = try await origin.answered()
                for _ in 1...20 { _ = try await read() }
                #expect(try await origin.answered() == before)

                let id = UUID().uuidString
                _ = try await origin.gateway("publish", "https://example.org/a.jpg", "--unchecked", "--id", id)
                while try await !read().contains(id) {}
                try await readUntilQuiet()
                _ = try await origin.gateway("comment", image, "Seen at once")
                while try await !read().contains("Seen at once") {}
                _ = try await origin.gateway("remove", id)
                while try await read().contains(id) {}
            }
        }
    }

    @Test func `an edge can be the upstream of another, and their ages add up`() async throws {
        try await SupervisedDeployment.with { origin, _ in
            let first = try origin.httpPort()
            try await SupervisedDeployment.with(["--upstream", "http://127.0.0.1:\(first)"]) { edge, _ in
                let second = try edge.httpPort()
                try await SupervisedDeployment.with(["--upstream", "http://127.0.0.1:\(second)"]) { last, _ in
                    let third = try last.httpPort()
                    let shown = try await Walk(first)
                    #expect(try await Walk(third) == shown)
                    #expect(shown.dates.allSatisfy { $0 != nil })
                    _ = try await origin.down()
                    let cached = try await Walk(second)
                    #expect(cached == shown && cached.ages.allSatisfy { $0 != nil })
                    // The second edge reports the age of the first edge's copy, or none if that was 0 seconds.
                    let passed = try await Walk(third)
                    #expect(passed == shown)
                    for (age, before) in zip(passed.ages, cached.ages) { #expect(age ?? 0 >= before ?? 0) }
                    _ = try await edge.down()
                    let older = try await Walk(third)
                    #expect(older == shown && older.ages.allSatisfy { $0 != nil })
                    for (age, before) in zip(older.ages, passed.ages) { #expect(age ?? -1 >= before ?? 0) }
                }
            }
        }
    }

    @Test func `the authority and its edges serve pictures that were published by URL`() async throws {
        let names = ["dunes.jpg", "mosaic.webp", "snowfall.gif", "tram.png"]
        let files = try names.map { try Data(contentsOf: URL(filePath: "\(Program.repository)/deploy/sample/\($0)")) }
        try await OriginServer.with { request in
            guard let index = names.firstIndex(where: { "/" + $0 == request.path }) else { return [.response(404)] }
            return [.response(body: [UInt8](files[index]))]
        } _: { web in
            let settings = #"{"image-data":{"allow-private-upstream":"\#(web.authority)"}}"#
            try await SupervisedDeployment.with(["--empty"], settings: settings) { authority, started in
                #expect(started.status == 0, "\(started.errors)")
                var ids: [String] = []
                for name in names {
                    let published = try await authority.gateway("publish", "\(web.url)/\(name)")
                    #expect(published.status == 0, "\(published.errors)")
                    ids.append(published.output.trimmingCharacters(in: .newlines))
                }
                // Publishing fetches, so that nothing is published that readers would never see.
                #expect(web.history.requests.count == names.count)
                let port = try authority.httpPort()
                try await SupervisedDeployment.with(["--upstream", "http://127.0.0.1:\(port)"]) { edge, _ in
                    let shown = try await Walk(try edge.httpPort())
                    #expect(zip(ids, files).allSatisfy { shown.images[$0] == [UInt8]($1) })
                    #expect(try await Walk(port) == shown)
                    // Each picture was fetched once for all readers.
                    #expect(web.history.requests.map(\.path).sorted() == names.map { "/" + $0 })
                }
            }
        }
    }

    @Test func `--upstream is checked before anything is changed`() async throws {
        for value in ["", "feed.example", "ftp://feed.example", "http://a b", "http://a'"] {
            let outcome = try await SupervisedDeployment(root: "/nowhere/root").up("--upstream", value)
            #expect(outcome.status == 64, "\(value): \(outcome.errors)")
        }
        let two = try await SupervisedDeployment(root: "/nowhere/root").up(
            "--upstream", "http://a", "--upstream", "http://b")
        #expect(two.status == 64 && two.errors.contains("http://b"), "\(two.errors)")
    }
}

extension SupervisedDeployment {
    /// How many requests for pages of the feed and for comments this deployment has answered.
    fileprivate func answered() async throws -> Int {
        let metrics = try await HTTPPeer.exchange(port: try httpPort(), "/metrics")
        let routes = [#"route="/v1/feed""#, #"route="/v1/image/{id}/comments""#]
        return String(decoding: metrics.body, as: UTF8.self).split(separator: "\n").reduce(0) { sum, line in
            guard line.contains("requests_total{"), routes.contains(where: line.contains) else { return sum }
            return sum + (line.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        }
    }
}
