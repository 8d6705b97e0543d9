import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Testing

/// image-data-service without an upstream, as a process.
@Suite(.timeLimit(.minutes(5))) struct ImageAuthorityProcessTests {
    @Test func `fetched pictures are cached beside the store, and survive a restart without their host`() async throws {
        try await withTemporaryDirectory { root in
            let url = try await withOrigin { origin in
                let arguments = ["--allow-private-upstream", origin.authority]
                try await RunningService.with("image-data", root: root, arguments: arguments) { service in
                    let load = LoadImage(url: origin.url)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .remote)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .hot)
                    let health = try await service.client.call(ProtocolMethods.health, ServiceSelection())
                    #expect(health.status == .serving && health.checks.map(\.name) == ["store", "cache", "variants"])
                }
                return origin.url
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: root + "/data").sorted()
            #expect(files == ["image-data-cache.sqlite", "image-data.sqlite"])
            try await RunningService.with("image-data", root: root) { service in
                let image = try await service.client.call(ImageDataContract.load, LoadImage(url: url))
                #expect(image.metadata.source == .cold && image.data.data == Data.pixel)
            }
        }
    }

    @Test func `addresses that are not public are refused unless the operator allows them`() async throws {
        try await withOrigin { origin in
            try await RunningService.with("image-data") { service in
                let error = await #expect(throws: RPCError.self) {
                    try await service.client.call(ImageDataContract.load, LoadImage(url: origin.url))
                }
                #expect(error?.kind == .permissionDenied)
            }
        }
    }

    @Test func `a service that begins to fetch uses its former store`() async throws {
        try await withTemporaryDirectory { root in
            try await withOrigin { origin in
                let put = PutImage(data: Bytes(Data.pixel), url: origin.url + "/put")
                try await RunningService.with("image-data", root: root, arguments: ["--no-fetch"]) { service in
                    _ = try await service.client.call(ImageDataContract.put, put)
                    let error = await #expect(throws: RPCError.self) {
                        try await service.client.call(ImageDataContract.load, LoadImage(url: origin.url))
                    }
                    #expect(error?.kind == .notFound)
                }
                let files = try FileManager.default.contentsOfDirectory(atPath: root + "/data").sorted()
                #expect(files == ["image-data-cache.sqlite", "image-data.sqlite"])
                let arguments = ["--allow-private-upstream", origin.authority]
                try await RunningService.with("image-data", root: root, arguments: arguments) { service in
                    let kept = try await service.client.call(
                        ImageDataContract.load, LoadImage(url: origin.url + "/put", timeToLive: 0))
                    #expect(kept.data.data == Data.pixel && kept.expiresAt == nil)
                    let fetched = try await service.client.call(ImageDataContract.load, LoadImage(url: origin.url))
                    #expect(fetched.metadata.source == .remote && fetched.expiresAt != nil)
                }
                #expect(origin.history.requests.count == 1)
            }
        }
    }

    @Test func `without its cache on disk it fetches, caches in memory, and accepts bytes`() async throws {
        try await withTemporaryDirectory { root in
            // The cache cannot be opened because there is a folder in its place.
            try FileManager.default.createDirectory(
                atPath: root + "/data/image-data-cache.sqlite/folder", withIntermediateDirectories: true)
            try await withOrigin { origin in
                let arguments = ["--allow-private-upstream", origin.authority]
                try await RunningService.with("image-data", root: root, arguments: arguments) { service in
                    let load = LoadImage(url: origin.url)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .remote)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .hot)
                    let put = PutImage(data: Bytes(Data.pixel))
                    let url = try await service.client.call(ImageDataContract.put, put).url
                    #expect(
                        try await service.client.call(ImageDataContract.load, LoadImage(url: url)).data.data
                            == Data.pixel)
                    #expect(try await service.client.call(ImageDataContract.evict, .toBytes(0)).count == 2)
                }
            }
        }
    }

    private func withOrigin<Result>(_ body: (OriginServer) async throws -> Result) async throws -> Result {
        try await OriginServer.with { _ in
            [.response(body: [UInt8](Data.pixel))]
        } _: {
            try await body($0)
        }
    }
}
