import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Testing

/// image-data-service with an upstream, as a process.
struct ImageEdgeProcessTests {
    // MARK: Options

    @Test(arguments: [
        ["--max-fetches", "0"], ["--max-fetches", "1001"], ["--ttl", "-1"], ["--ttl", "3155760001"],
        ["--hot-bytes", "-1"], ["--hot-bytes", "1125899906842625"], ["--cold-bytes", "-1"],
        ["--cold-bytes", "1125899906842625"], ["--ttl", "x"], ["--strict-store=maybe"],
    ])
    func `values outside their ranges are refused`(arguments: [String]) async throws {
        try await withTemporaryDirectory { root in
            let outcome = try await Program("image-data-service").run(["--root", root] + arguments)
            #expect(outcome.status == 64)
            let option = arguments.last { $0.hasPrefix("--") } ?? ""
            #expect(outcome.errors.contains(option.prefix { $0 != "=" }))
            #expect(try FileManager.default.contentsOfDirectory(atPath: root) == [])
        }
    }

    @Test(arguments: [
        ["--max-fetches", "1"], ["--max-fetches", "1000"], ["--ttl", "0"], ["--ttl", "3155760000"],
        ["--hot-bytes", "0"],
        ["--hot-bytes", "1125899906842624"], ["--cold-bytes", "0"], ["--cold-bytes", "1125899906842624"],
        // Settings for a time in which images are fetched.
        ["--no-fetch"], ["--no-fetch", "--allow-private-upstream", "10.0.0.1:80"],
        ["--pin", "feed.example=sha256/\(String(repeating: "A", count: 43))="],
        ["--allow-private-upstream", "10.0.0.1:80", "--allow-private-upstream", "[::1]:8080"],
    ])
    func `options at their limits are accepted`(arguments: [String]) async throws {
        try await withOrigin { origin in
            try await RunningService.with("image-data", arguments: ["--upstream", origin.url] + arguments) { service in
                let image = try await service.client.call(ImageDataContract.load, LoadImage(url: origin.url + "/1"))
                #expect(image.data.data == Data.pixel)
                #expect(service.log.split(separator: "\n").count == 1, "\(service.log)")
            }
        }
    }

    // MARK: Serving

    @Test func `cached pictures are served after a restart, without the origin`() async throws {
        try await withTemporaryDirectory { root in
            let url = try await withOrigin { origin in
                try await RunningService.with("image-data", root: root, arguments: ["--upstream", origin.url]) {
                    service in
                    let image = try await service.client.call(ImageDataContract.load, LoadImage(url: origin.url))
                    #expect(image.metadata.source == .remote)
                    #expect(try await health(service) == .serving)
                }
                return origin.url
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: root + "/data")
            #expect(files == ["image-data-edge.sqlite"])
            try await RunningService.with("image-data", root: root, arguments: ["--upstream", url]) { service in
                let load = LoadImage(url: url)
                #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .cold)
                let stale = try await service.client.call(ImageDataContract.load, LoadImage(url: url, timeToLive: 0))
                #expect(stale.stale == true)
                #expect(try await health(service) == .degraded)
                // One line for the change of state, and the start line.
                #expect(await service.logLines(with: "no good answer").count == 2, "\(service.log)")
            }
        }
    }

    @Test func `only the upstream's own address may be private`() async throws {
        try await withOrigin { origin in
            try await withOrigin { other in
                for allowed in [[], ["--allow-private-upstream", other.authority]] {
                    try await RunningService.with(
                        "image-data", arguments: ["--upstream", origin.url] + allowed
                    ) { service in
                        let load = LoadImage(url: other.url)
                        if allowed.isEmpty {
                            let error = await #expect(throws: RPCError.self) {
                                try await service.client.call(ImageDataContract.load, load)
                            }
                            #expect(error?.kind == .permissionDenied)
                        } else {
                            let image = try await service.client.call(ImageDataContract.load, load)
                            #expect(image.metadata.source == .remote)
                        }
                    }
                }
            }
        }
    }

    @Test func `bytes that are not a picture are refused, and logged once`() async throws {
        let html = "<!doctype html><title>1</title>"
        try await OriginServer.with { request in
            request.path == "/missing" ? [.response(404)] : [.pause(100), .response(text: html)]
        } _: { origin in
            try await RunningService.with("image-data", arguments: ["--upstream", origin.url]) { service in
                await withTaskGroup(of: ErrorKind?.self) { group in
                    for url in [origin.url + "/missing"] + [String](repeating: origin.url + "/page", count: 10) {
                        group.addTask {
                            do {
                                _ = try await service.client.call(ImageDataContract.load, LoadImage(url: url))
                                return nil
                            } catch {
                                return (error as? RPCError)?.kind
                            }
                        }
                    }
                    var kinds: [ErrorKind?] = []
                    for await kind in group { kinds.append(kind) }
                    #expect(kinds.count { $0 == .invalidData } == 10)
                    #expect(kinds.count { $0 == .notFound } == 1)
                }
                // Without the lines of the failed calls.
                let lines = await service.logLines(with: "/page").filter { !$0.contains("image-data.load failed") }
                #expect(lines.count == 2)
                #expect(lines.last?.contains(" warning image-data: ") == true)
                #expect(lines.last?.contains(origin.url + "/page") == true)
            }
        }
    }

    // MARK: Without a store

    @Test func `without its store it serves, and logs that`() async throws {
        try await withTemporaryDirectory { root in
            // A directory with files, which is not renamed.
            let store = root
            try await withOrigin { origin in
                try await RunningService.with(
                    "image-data", root: root, arguments: ["--upstream", origin.url, "--store", store]
                ) { service async throws in
                    let load = LoadImage(url: origin.url)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .remote)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .hot)
                    #expect(try await health(service) == .degraded)
                    // What the cache has on disk stays there.
                    let eviction = await #expect(throws: RPCError.self) {
                        try await service.client.call(ImageDataContract.evict, .toBytes(0))
                    }
                    #expect(eviction?.kind == .unavailable)
                    #expect(try await service.client.call(ImageDataContract.load, load).metadata.source == .remote)
                    // The start, the store and the eviction.
                    let lines = service.log.split(separator: "\n")
                    #expect(lines.count == 3)
                    #expect(lines.first?.contains("cannot open the store \(store): ") == true)
                }
            }
        }
    }

    @Test(arguments: ["--strict-store", "--strict-store=true"]) func `without a required store the service exits`(
        strict: String
    ) async throws {
        try await withTemporaryDirectory { root in
            let store = root + "/diary.txt"
            try Data("Dear diary, this is no database.\n".utf8).write(to: URL(filePath: store))
            let outcome = try await Program("image-data-service").run(
                ["--root", root, "--upstream", "http://feed.example", "--store", store, strict])
            #expect(outcome.status == 70)
            #expect(outcome.errors.split(separator: "\n").count == 1)
        }
    }

    @Test(arguments: [1, 10, 40]) func `a kill during caching leaves only whole pictures`(count: Int) async throws {
        try await withTemporaryDirectory { root in
            try await withOrigin { origin in
                let arguments = ["--upstream", origin.url]
                await #expect(throws: (any Error).self) {
                    try await RunningService.with("image-data", root: root, arguments: arguments) { service in
                        try await withThrowingTaskGroup(of: Void.self) { group in
                            for number in 0..<1_000 {
                                let url = "\(origin.url)/\(number)"
                                _ = try await service.client.call(ImageDataContract.load, LoadImage(url: url))
                                if number + 1 == count { group.addTask { service.kill() } }
                            }
                        }
                    }
                }
                try await RunningService.with("image-data", root: root, arguments: arguments) { service in
                    for number in 0..<count {
                        let load = LoadImage(url: "\(origin.url)/\(number)", strategy: .cacheOnly)
                        let image = try await service.client.call(ImageDataContract.load, load)
                        #expect(image.metadata.source == .cold)
                        #expect(image.data.data == Data.pixel)
                    }
                    #expect(service.log.split(separator: "\n").count == 1, "\(service.log)")
                }
            }
        }
    }

    // MARK: Origins

    private func withOrigin<Result>(_ body: (OriginServer) async throws -> Result) async throws -> Result {
        try await OriginServer.with { _ in
            [.response(body: [UInt8](Data.pixel))]
        } _: {
            try await body($0)
        }
    }

    private func health(_ service: RunningService) async throws -> Health.Status {
        try await service.client.call(ProtocolMethods.health, ServiceSelection()).status
    }
}
