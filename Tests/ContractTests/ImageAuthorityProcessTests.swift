import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Testing

/// image-data-service without an upstream, as a process.
struct ImageAuthorityProcessTests {
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

    // MARK: --variants

    private static let photo = FileManager.default.contents(
        atPath: Program.repository + "/deploy/sample/lighthouse.jpg")

    /// Starts the service with `--variants`, and puts and loads a photo.
    /// - Returns: the loaded bytes, and the status of the check `variants`; nil without such a check.
    private func loadVariant(_ variants: String) async throws -> (image: LoadedImage, status: Health.Status?) {
        let photo = try #require(Self.photo)
        return try await RunningService.with("image-data", arguments: ["--variants", variants]) { service in
            let put = try await service.client.call(ImageDataContract.put, PutImage(data: Bytes(photo)))
            let load = LoadImage(url: put.url, width: 320, accept: [.webp])
            let image = try await service.client.call(ImageDataContract.load, load)
            let health = try await service.client.call(ProtocolMethods.health, ServiceSelection())
            return (image, health.checks.first { $0.name == "variants" }?.status)
        }
    }

    @Test func `variants are made by the program of --variants`() async throws {
        let (image, status) = try await loadVariant("/usr/bin/vipsthumbnail")
        #expect(image.metadata.contentType == "image/webp" && status == .serving)
        // Two pictures cannot be made, which may be the picture's fault.
        let (original, other) = try await loadVariant("/bin/false")
        #expect(original.data.data == Self.photo && other == .serving)
    }

    @Test func `with --variants off the originals are served, and nothing is degraded`() async throws {
        let (image, status) = try await loadVariant("off")
        #expect(image.data.data == Self.photo && status == nil)
    }

    @Test(arguments: ["/nowhere", "/etc/passwd", "/tmp", "vipsthumbnail", ""])
    func `anything but a program is a usage error`(path: String) async throws {
        let outcome = try await Program("image-data-service").run(["--root", "/nowhere", "--variants", path])
        #expect(outcome.status == 64 && outcome.errors.contains("is not a program; name the path"), "\(outcome.errors)")
    }

    @Test func `addresses that are not public are refused unless the operator allows them`() async throws {
        try await withOrigin { origin in
            try await RunningService.with("image-data") { service in
                let error = await #expect(throws: RPCError.self) {
                    try await service.client.call(ImageDataContract.load, LoadImage(url: origin.url))
                }
                #expect(error?.kind == .permissionDenied)
                let refusal = await #expect(throws: RPCError.self) {
                    try await service.client.call(ImageDataContract.check, ImageSelection(url: origin.url))
                }
                #expect(refusal?.kind == .permissionDenied)
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
                try await RunningService.with("image-data", root: root, arguments: arguments) { service async throws in
                    let load = LoadImage(url: origin.url)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .remote)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .hot)
                    let put = PutImage(data: Bytes(Data.pixel))
                    let url = try await service.client.call(ImageDataContract.put, put).url
                    #expect(
                        try await service.client.call(ImageDataContract.load, LoadImage(url: url)).data.data
                            == Data.pixel)
                    // What the cache has on disk stays there.
                    let eviction = await #expect(throws: RPCError.self) {
                        try await service.client.call(ImageDataContract.evict, .toBytes(0))
                    }
                    #expect(eviction?.kind == .unavailable)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .remote)
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
