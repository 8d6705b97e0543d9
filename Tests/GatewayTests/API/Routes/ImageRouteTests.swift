import FeedContract
import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct ImageRouteTests {
    private static let target = "/v1/image/5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01/data"
    private static let tag = #""ab01""#

    private static func loaded(
        _ bytes: [UInt8] = Array(0..<10), _ source: ImageMetadata.Source = .cold, stale: Bool? = nil
    ) -> LoadedImage {
        LoadedImage(
            data: Bytes(Data(bytes)),
            metadata: ImageMetadata(
                contentType: "image/png", size: bytes.count, sha256: "ab01", source: source, storedAt: noon - 90),
            stale: stale, expiresAt: noon - 90 + 604_800)
    }

    @Test(arguments: [1, 100_000, 6_000_000])
    func `bytes are served as they are stored, never compressed`(count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try await RunningAPI.with(.image(Self.loaded(bytes))) { api in
            let reply = try await api.exchange(Self.target, ["Accept-Encoding: gzip"])
            #expect(reply.status == 200 && reply.body == bytes)
            #expect(reply["Content-Type"] == "image/png" && reply["ETag"] == Self.tag)
            #expect(reply["Accept-Ranges"] == "bytes" && reply["X-Content-Type-Options"] == "nosniff")
            #expect(reply["Cache-Control"] == "public, max-age=3690" && reply["Content-Encoding"] == nil)
        }
    }

    @Test func `the loaded URL is that of the item and cannot be chosen by a client`() async throws {
        var services = FakeServices()
        services.get = { selection, _ in
            guard selection.id.uuidString.hasSuffix("01") else { throw RPCError(.notFound, "no such item") }
            return FeedItem(id: selection.id, image: "https://example.org/of-the-item.png")
        }
        services.image = { params, context in
            #expect(params.url == "https://example.org/of-the-item.png" && context.takesAttachments)
            return Self.loaded()
        }
        try await RunningAPI.with(services) { api async throws in
            #expect(try await api.exchange(Self.target + "?url=https://evil.example/").status == 200)
            #expect(try await api.exchange(Self.target.replacing("7D01", with: "7D02")).status == 404)
            #expect(try await api.exchange("/v1/image/x/data").status == 404)
            let refusal = try await api.exchange(Self.target + "?w=0")
            #expect(refusal.status == 400 && refusal.text.contains("w: must be a number of at least 1"))
        }
    }

    @Test(
        arguments: [
            (.hot, nil, "90", "image-feed; hit", "public, max-age=3690"),
            (.cold, false, "90", "image-feed; hit", "public, max-age=3690"),
            (.cold, true, "90", "image-feed; hit; detail=stale", "no-cache"),
            (.remote, nil, "90", "image-feed; fwd=miss", "public, max-age=3690"),
        ] as [(ImageMetadata.Source, Bool?, String?, String, String)])
    func `an image has its age, cache status and lifetime`(
        source: ImageMetadata.Source, stale: Bool?, age: String?, cacheStatus: String, cacheControl: String
    ) async throws {
        try await RunningAPI.with(.image(Self.loaded([1], source, stale: stale))) { api in
            let reply = try await api.exchange(Self.target)
            #expect(reply["Age"] == age && reply["Cache-Status"] == cacheStatus)
            #expect(reply["Cache-Control"] == cacheControl)
        }
    }

    @Test(
        arguments: [
            ("bytes=0-0", 206, [0], "bytes 0-0/10"), ("bytes=8-", 206, [8, 9], "bytes 8-9/10"),
            ("bytes=-1", 206, [9], "bytes 9-9/10"), ("bytes=8-99", 206, [8, 9], "bytes 8-9/10"),
            ("bytes=0-0,2-3", 200, Array(0..<10), nil), ("nonsense", 200, Array(0..<10), nil),
            ("bytes=3-2", 200, Array(0..<10), nil),
        ] as [(String, Int, [UInt8], String?)])
    func `a range is answered with its bytes`(range: String, status: Int, bytes: [UInt8], field: String?) async throws {
        try await RunningAPI.with(.image(Self.loaded())) { api in
            let reply = try await api.exchange(Self.target, ["Range: \(range)"])
            #expect(reply.status == status && reply.body == bytes && reply["Content-Range"] == field)
            #expect(reply["Content-Length"] == "\(bytes.count)" && reply["ETag"] == Self.tag)
        }
    }

    @Test(arguments: ["bytes=10-", "bytes=-0"])
    func `a range beyond the end is 416 with the size`(range: String) async throws {
        try await RunningAPI.with(.image(Self.loaded())) { api in
            let reply = try await api.exchange(Self.target, ["Range: \(range)"])
            #expect(reply.status == 416 && reply["Content-Range"] == "bytes */10")
            #expect(reply["Content-Type"] == "application/problem+json")
        }
    }

    @Test func `a range applies only to the version of its condition`() async throws {
        try await RunningAPI.with(.image(Self.loaded())) { api in
            for (condition, status) in [(Self.tag, 206), (#""other""#, 200), ("W/" + Self.tag, 200)] {
                let reply = try await api.exchange(Self.target, ["Range: bytes=1-2", "If-Range: \(condition)"])
                #expect(reply.status == status)
            }
            #expect(try await api.exchange(Self.target, method: "HEAD", ["Range: bytes=1-2"]).status == 200)
        }
    }

    @Test func `a client that wants only the version that it knows gets no other`() async throws {
        try await RunningAPI.with(.image(Self.loaded())) { api in
            let range = "Range: bytes=1-2"
            for (fields, status) in [
                (["If-Match: \(Self.tag)"], 200), (["If-Match: *"], 200),
                ([#"If-Match: "x", \#(Self.tag)"#, range], 206),
                ([#"If-Match: "x""#], 412), (["If-Match: W/\(Self.tag)"], 412), ([#"If-Match: "x""#, range], 412),
                ([#"If-Match: "x""#, "If-None-Match: \(Self.tag)"], 412),
                (["If-Match: \(Self.tag)", "If-None-Match: \(Self.tag)"], 304),
            ] {
                for method in ["GET", "HEAD"] where method == "GET" || status != 206 {
                    let peer = try await api.connect()
                    try await peer.request(Self.target, method: method, fields)
                    let reply = try #require(await peer.receive(hasBody: method == "GET"))
                    #expect(reply.status == status, "\(method) \(fields)")
                }
            }
            // Without a tag only the star can match, and an error stays what it is.
            #expect(try await api.exchange("/healthz", ["If-Match: *"]).status == 200)
            #expect(try await api.exchange("/healthz", [#"If-Match: "x""#]).status == 412)
            #expect(try await api.exchange("/v1/feed?limit=0", [#"If-Match: "x""#]).status == 400)
        }
    }

    @Test func `a client that has the bytes gets 304, with any range`() async throws {
        try await RunningAPI.with(.image(Self.loaded())) { api in
            for field in [Self.tag, "W/" + Self.tag, #""x", "ab01""#, "*"] {
                let reply = try await api.exchange(Self.target, ["If-None-Match: \(field)", "Range: bytes=1-2"])
                #expect(reply.status == 304 && reply.body.isEmpty && reply["ETag"] == Self.tag)
            }
        }
    }

    // MARK: Variants

    /// An image whose bytes are the parameters of the load.
    private static var echoing: FakeServices {
        var services = FakeServices.image(loaded())
        services.image = { params, _ in
            loaded(Array("\(params.width ?? 0) \(params.accept?.map(\.rawValue) ?? [])".utf8))
        }
        return services
    }

    @Test(
        arguments: [
            ("", [], "0 []"), ("?w=640", [], "640 []"), ("?w=1", [], "320 []"), ("?w=321", [], "640 []"),
            ("?w=1280", [], "1280 []"), ("?w=1281", [], "0 []"), ("?w=99999999999", [], "0 []"),
            ("?w=99999999999999999999", [], "0 []"),
            ("?w=640", ["Accept: image/avif,image/webp,*/*;q=0.8"], #"640 ["image/webp"]"#),
            ("?w=640", ["Accept: IMAGE/WebP ; q=0.1"], #"640 ["image/webp"]"#),
            ("?w=640", ["Accept: image/webp;q=0"], "640 []"), ("?w=640", ["Accept: image/*, */*"], "640 []"),
            ("", ["Accept: image/webp"], "0 []"),
            ("?w=640", ["Save-Data: on"], "320 []"), ("?w=320", ["Save-Data: on"], "320 []"),
            ("?w=641", ["Save-Data: On"], "640 []"), ("?w=5000", ["Save-Data: on"], "1280 []"),
            ("?w=640", ["Save-Data: off"], "640 []"), ("", ["Save-Data: on"], "0 []"),
        ] as [(String, [String], String)])
    func `a variant is selected by width, Accept and Save-Data`(
        query: String, fields: [String], expected: String
    ) async throws {
        try await RunningAPI.with(Self.echoing) { api in
            let reply = try await api.exchange(Self.target + query, fields)
            #expect(reply.status == 200 && reply.text == expected)
            #expect(reply["Vary"] == (query.isEmpty ? nil : "Accept, Save-Data"))
            #expect(reply["Cache-Control"] == "public, max-age=3690")
        }
    }

    @Test(arguments: [
        "w=", "w", "w=x", "w=-1", "w=0", "w=640px", "w=6.4", "w=640&w=320", "w=%zz",
    ])
    func `a malformed width is 400 with the reason`(query: String) async throws {
        try await RunningAPI.with(Self.echoing) { api in
            let reply = try await api.exchange(Self.target + "?" + query)
            #expect(reply.status == 400)
            #expect(try reply.member("detail")?.hasPrefix("w: ") == true)
        }
    }

    @Test func `each variant has its own tag, and ranges and conditions apply to it`() async throws {
        var services = FakeServices.image(Self.loaded())
        services.image = { params, _ in
            let bytes = [UInt8](repeating: 1, count: params.width ?? 1_000)
            return LoadedImage(
                data: Bytes(Data(bytes)),
                metadata: ImageMetadata(
                    contentType: "image/webp", size: bytes.count, sha256: "w\(params.width ?? 0)", source: .hot,
                    storedAt: noon))
        }
        try await RunningAPI.with(services) { api async throws in
            for (query, width) in [("", 0), ("?w=320", 320), ("?w=640", 640)] {
                let tag = "\"w\(width)\""
                let reply = try await api.exchange(Self.target + query)
                #expect(reply["ETag"] == tag && reply["Content-Type"] == "image/webp")
                let size = width == 0 ? 1_000 : width
                #expect(reply.body.count == size)
                let part = try await api.exchange(Self.target + query, ["Range: bytes=10-19", "If-Range: \(tag)"])
                #expect(part.status == 206 && part["Content-Range"] == "bytes 10-19/\(size)")
                let same = try await api.exchange(Self.target + query, ["If-None-Match: \(tag)"])
                #expect(same.status == 304 && same["Vary"] == (width == 0 ? nil : "Accept, Save-Data"))
                let other = try await api.exchange(Self.target + query, ["If-None-Match: \"w1\""])
                #expect(other.status == 200)
            }
        }
    }
}
