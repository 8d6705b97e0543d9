import Foundation
import ImageData
import ImageDataContract
import RPC
import RPCTestKit
import Synchronization
import Testing
import Timing

@testable import image_data_service

/// The requests to origin servers and their number.
struct EdgeDownloadTests {
    private static let date = "Sat, 01 Nov 2025 12:00:00 GMT"
    private static let bytes = [UInt8](picture(1))

    // MARK: Conditions

    @Test(arguments: [LoadImage.Policy.hotOrCold, .hot, .cold], [("ETag", "W/\"1\""), ("Last-Modified", date)])
    func `unchanged bytes are renewed without being sent`(
        policy: LoadImage.Policy, validator: (name: String, value: String)
    ) async throws {
        try await OriginServer.with { request in
            request.number == 0 && request["if-none-match"] == nil && request["if-modified-since"] == nil
                ? [.picture(1, [(validator.name, validator.value)])]
                : [.send("HTTP/1.1 304 Not Modified\r\nAge: 3\r\n\r\n")]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                _ = try await service.load(origin.url, policy)
                service.clock.now = moment(10)
                let renewed = try await service.load(origin.url, policy, ttl: 10)
                #expect(renewed.data.data == picture(1))
                #expect(renewed.metadata.source == .remote)
                #expect(renewed.metadata.storedAt == moment(10) && renewed.metadata.age == 3)
                #expect(try await service.load(origin.url, policy, ttl: 10).metadata.source != .remote)
                let last = origin.history.requests.last
                #expect((last?["if-none-match"] ?? last?["if-modified-since"]) == validator.value)
                #expect(origin.history.requests.count == 2)
            }
        }
    }

    @Test func `bytes evicted during a conditional request are fetched`() async throws {
        let memory = Mutex<HotImages?>(nil)
        try await OriginServer.with { request in
            guard request["if-none-match"] != nil else { return [.picture(1, [("ETag", "\"1\"")])] }
            // Evicted at this moment.
            _ = memory.withLock { $0?.evict(.downTo(bytes: 0)) }
            return [.response(304)]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                memory.withLock { $0 = service.caches.hot }
                _ = try await service.load(origin.url, .hot)
                let reloaded = try await service.load(origin.url, .hot, .reload)
                #expect(reloaded.data.data == picture(1))
                #expect(origin.history.requests.map { $0["if-none-match"] } == [nil, "\"1\"", nil])
            }
        }
    }

    // MARK: Resuming

    @Test(arguments: [("ETag", "\"1\""), ("Last-Modified", date)]) func `an interrupted download is resumed`(
        validator: (name: String, value: String)
    ) async throws {
        try await OriginServer.with { request in
            let validator = "\(validator.name): \(validator.value)"
            guard request["range"] != nil else { return Self.cut(after: 20, validator) }
            return [.response(206, Self.range(from: 20), body: Array(Self.bytes[20...]))]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                #expect(try await service.load(origin.url).data.data == picture(1))
                let resumed = try #require(origin.history.requests.last)
                #expect(resumed["range"] == "bytes=20-")
                #expect(resumed["if-range"] == validator.value)
                #expect(origin.history.requests.count == 2)
            }
        }
    }

    @Test func `a version that changed in the meantime is fetched whole`() async throws {
        try await OriginServer.with { request in
            request["range"] == nil ? Self.cut(after: 20, "ETag: \"1\"") : [.picture(2, [("ETag", "\"2\"")])]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let data = try await service.load(origin.url).data.data
                #expect(data == picture(2))
                #expect(origin.history.requests.count == 2)
            }
        }
    }

    /// The first answer lacks one byte of version 1. The request for that byte is answered with all of version 2,
    /// which has the maximum size.
    @Test func `an image of the maximum size replaces the partial bytes of its earlier version`() async throws {
        try await OriginServer.with { request in
            request["range"] == nil ? Self.cut(after: pictureSize - 1, "ETag: \"1\"") : [.picture(2)]
        } _: { origin in
            try await EdgeService.with(origin, EdgeService.Options(maximumBytes: pictureSize)) { service in
                let data = try await service.load(origin.url).data.data
                #expect(data == picture(2))
            }
        }
    }

    @Test(arguments: ["", "ETag: W/\"1\""]) func `without a strong validator the whole image is requested again`(
        validator: String
    ) async throws {
        try await OriginServer.with { request in
            request.connection == 0 ? Self.cut(after: 20, validator) : [.picture(1)]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let data = try await service.load(origin.url).data.data
                #expect(data == picture(1))
                #expect(origin.history.requests.map { $0["range"] } == [nil, nil])
            }
        }
    }

    @Test func `after an unsatisfiable range the whole image is requested`() async throws {
        try await OriginServer.with { request in
            switch (request["range"], request.connection) {
            case (nil, 0): Self.cut(after: 20, "ETag: \"1\"")
            case (nil, _): [.picture(1)]
            default: [.response(416)]
            }
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let data = try await service.load(origin.url).data.data
                #expect(data == picture(1))
                #expect(origin.history.requests.count == 3)
            }
        }
    }

    @Test func `the number of requests for one image is limited`() async throws {
        try await OriginServer.with { _ in
            Self.cut(after: 20, "ETag: \"1\"")
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let kind = try await service.failure(origin.url)
                #expect(kind == .connectivity)
                #expect(origin.history.requests.count == ImageDownload.requestLimit)
            }
        }
    }

    // MARK: Single flight

    @Test(arguments: [1, 2, 100]) func `concurrent loads are one request to the origin`(callers: Int) async throws {
        try await OriginServer.with { _ in
            [.picture(1)]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                try await withThrowingTaskGroup(of: Data.self) { group in
                    for _ in 1...callers { group.addTask { try await service.load(origin.url).data.data } }
                    for try await data in group { #expect(data == picture(1)) }
                }
                #expect(origin.history.requests.count == 1)
                #expect(service.isIdle)
            }
        }
    }

    @Test func `loading a feed again requests no image twice`() async throws {
        try await withTemporaryDirectory { directory in
            try await OriginServer.with { request in
                [.picture(Int(request.path.dropFirst()) ?? 0)]
            } _: { origin in
                let urls = (1...30).map { "\(origin.url)/\($0)" }
                for _ in 1...2 {
                    try await EdgeService.with(origin, EdgeService.Options(directory: directory)) { service in
                        async let prefetched = service.client.call(
                            ImageDataContract.prefetch, PrefetchImages(urls: urls))
                        try await withThrowingTaskGroup(of: (Int, Data).self) { group in
                            for (index, url) in urls.enumerated() {
                                group.addTask { (index + 1, try await service.load(url).data.data) }
                            }
                            for try await (number, data) in group { #expect(data == picture(number)) }
                        }
                        _ = try await prefetched
                    }
                }
                #expect(origin.history.requests.count == urls.count)
            }
        }
    }

    @Test func `the number of concurrent requests is limited to --max-fetches`() async throws {
        let requests = Watched(0)
        try await OriginServer.with { _ in
            requests.withLock { $0 += 1 }
            // The first three are answered when all of them have arrived.
            return [.wait { await requests.wait { $0 >= 3 } }, .picture(1)]
        } _: { origin in
            try await EdgeService.with(origin, EdgeService.Options(concurrency: 3)) { service in
                let urls = (1...30).map { "\(origin.url)/\($0)" }
                let prefetched = try await service.client.call(ImageDataContract.prefetch, PrefetchImages(urls: urls))
                #expect(prefetched.accepted == 30)
                #expect(origin.history.connections == 3)
                // Images that are stored are not queued again.
                let again = try await service.client.call(ImageDataContract.prefetch, PrefetchImages(urls: urls + urls))
                #expect(again.accepted == 0)
                for url in urls { #expect(try await service.load(url).metadata.source == .hot) }
            }
        }
    }

    // MARK: Answers

    private static func cut(after count: Int, _ header: String) -> [OriginStep] {
        let lines = ["HTTP/1.1 200 OK", "Content-Length: \(bytes.count)"] + (header.isEmpty ? [] : [header])
        return [.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + bytes[..<count]), .close]
    }

    private static func range(from first: Int) -> [(String, String)] {
        [("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)")]
    }
}
