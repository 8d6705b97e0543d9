import CommentsContract
import FeedContract
import Foundation
import ImageDataContract
import RPC
import RPCTestKit
import Synchronization
import Testing

/// The services as processes.
@Suite struct ServiceProcessTests {
    static let services = Deployment.services

    @Test(arguments: services) func `a run without faults logs only its start line`(name: String)
        async throws
    {
        try await RunningService.with(name) { service in
            _ = try await service.client.call(ProtocolMethods.describe, ServiceSelection())
            let lines = service.log.split(separator: "\n")
            #expect(lines.count == 1)
            #expect(lines.first?.hasSuffix("/run/\(name).sock") == true)
        }
    }

    @Test(arguments: services) func `an orderly shutdown leaves each store in one file`(name: String) async throws {
        try await withTemporaryDirectory { root in
            try await RunningService.with(name, root: root) { _ in }
            let files = try FileManager.default.contentsOfDirectory(atPath: root + "/data").sorted()
            // Fetched bytes are in a separate file.
            #expect(files == (name == "image-data" ? ["image-data-cache.sqlite"] : []) + ["\(name).sqlite"])
        }
    }

    @Test(arguments: services) func `an unusable store is one line, and exit 70 for a strict service`(
        name: String
    ) async throws {
        try await withTemporaryDirectory { root in
            let store = root + "/diary.txt"
            try Data("Dear diary, this is no database.\n".utf8).write(to: URL(filePath: store))
            let failure = await #expect(throws: RunningService.Failure.self) {
                let arguments = ["--store", store, "--strict-store"]
                try await RunningService.with(name, root: root, arguments: arguments) { _ in }
            }
            #expect(failure?.status == 70)
            #expect(failure?.log.split(separator: "\n").count == 1)
            #expect(failure?.log.contains("cannot open the store \(store): ") == true)
        }
    }

    @Test func `an authority without its store answers unavailable, and opens the store after a repair`() async throws {
        try await withTemporaryDirectory { root in
            let (store, item) = (root + "/feed.sqlite", FeedItem(id: UUID(), image: "urn:x:1"))
            try await RunningService.with("feed", root: root, arguments: ["--store", store]) { service in
                _ = try await service.client.call(FeedContract.publish, PublishedItems(items: [item]))
            }
            try FileManager.default.moveItem(atPath: store, toPath: store + ".away")
            try await RunningService.with("feed", root: root, arguments: ["--store", store]) { service in
                // An empty page would mean an empty feed to an edge.
                for _ in 1...2 {
                    let error = await #expect(throws: RPCError.self) {
                        try await service.client.call(FeedContract.load, LoadFeed())
                    }
                    #expect(error?.kind == .unavailable && error?.message.contains(store) == false)
                }
                let write = await #expect(throws: RPCError.self) {
                    try await service.client.call(FeedContract.publish, PublishedItems(items: [item]))
                }
                #expect(write?.kind == .unavailable)
                let health = try await service.client.call(ProtocolMethods.health, ServiceSelection())
                #expect(health.status == .degraded)
                #expect(service.log.contains("cannot open the store \(store): the file is missing"), "\(service.log)")
                #expect(!FileManager.default.fileExists(atPath: store))

                try FileManager.default.moveItem(atPath: store + ".away", toPath: store)
                // Validation does not wait for the next attempt.
                #expect(try await service.client.call(FeedContract.validate, Empty()).outcome == .kept)
                #expect(try await service.client.call(FeedContract.load, LoadFeed()).items.map(\.id) == [item.id])
            }
        }
    }

    @Test func `an acknowledged write survives a kill of the process`() async throws {
        let image = UUID()
        try await withTemporaryDirectory { root in
            for count in 1...3 {
                let failure = await #expect(throws: RunningService.Failure.self) {
                    try await RunningService.with("comments", root: root) { service in
                        let post = PostComment(imageID: image, message: "Lovely!", username: "ana")
                        _ = try await service.client.call(CommentsContract.post, post)
                        service.kill()
                    }
                }
                #expect(failure?.status == 128 + SIGKILL)
                try await RunningService.with("comments", root: root) { service in
                    let answer = try await service.client.call(
                        CommentsContract.counts, CommentedImages(imageIDs: [image]))
                    #expect(answer.counts == [image: count])
                }
            }
        }
    }

    /// Publishes one batch after the other until the process is killed during one of them.
    @Test(arguments: [1, 5, 20]) func `a kill during a batch leaves only whole batches`(batches: Int) async throws {
        let batch = 10
        try await withTemporaryDirectory { root in
            let acknowledged = Mutex(0)
            await #expect(throws: (any Error).self) {
                try await RunningService.with("feed", root: root) { service in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        while true {
                            let items = (1...batch).map { _ in FeedItem(id: UUID(), image: "urn:x:y") }
                            _ = try await service.client.call(FeedContract.publish, PublishedItems(items: items))
                            acknowledged.withLock { $0 += batch }
                            if acknowledged.withLock({ $0 }) == batches * batch { group.addTask { service.kill() } }
                        }
                    }
                }
            }
            try await RunningService.with("feed", root: root) { service in
                var (count, cursor) = (0, UUID?.none)
                repeat {
                    let page = try await service.client.call(FeedContract.load, LoadFeed(limit: 100, afterID: cursor))
                    count += page.items.count
                    cursor = page.nextAfterID
                } while cursor != nil
                #expect(count % batch == 0)
                // One more batch may have been written but not acknowledged.
                let expected = acknowledged.withLock { $0 }
                #expect((expected...expected + batch).contains(count))
                #expect(expected > 0)
            }
        }
    }

    // MARK: Images

    @Test func `damaged bytes are data_loss, and logged`() async throws {
        try await withTemporaryDirectory { root in
            let url = "https://pictures.example/1"
            try await RunningService.with("image-data", root: root) { service in
                let put = PutImage(data: Bytes(Data.pixel), url: url)
                _ = try await service.client.call(ImageDataContract.put, put)
            }
            let path = URL(filePath: root + "/data/image-data.sqlite")
            var file = try Data(contentsOf: path)
            file[try #require(file.range(of: Data.pixel)).lowerBound + 20] ^= 1
            try file.write(to: path)
            try await RunningService.with("image-data", root: root) { service in
                let error = await #expect(throws: RPCError.self) {
                    try await service.client.call(ImageDataContract.load, LoadImage(url: url))
                }
                #expect(error?.kind == .dataLoss)
                let lines = await service.logLines(with: "fail their checksum").filter { $0.contains(" error ") }
                #expect(lines.contains { $0.contains(url) }, "\(lines)")
            }
        }
    }

    @Test func `the limit of an image's size can be lowered`() async throws {
        let size = Data.pixel.count
        for (limit, isAccepted) in [(size, true), (size - 1, false)] {
            try await RunningService.with(
                "image-data", arguments: ["--max-image-bytes", "\(limit)"]
            ) { service in
                let put = PutImage(data: Bytes(Data.pixel))
                do {
                    _ = try await service.client.call(ImageDataContract.put, put)
                    #expect(isAccepted)
                } catch {
                    #expect(!isAccepted)
                    #expect(
                        error as? RPCError
                            == RPCError(
                                .tooLarge, "the image has \(size) bytes, the limit is \(size - 1) (--max-image-bytes)",
                                service: "image-data"))
                }
            }
        }
    }

    @Test(arguments: ["0", "33554433", "x"]) func `other limits are refused`(limit: String) async throws {
        let failure = await #expect(throws: RunningService.Failure.self) {
            try await RunningService.with(
                "image-data", arguments: ["--max-image-bytes", limit]
            ) { _ in }
        }
        #expect(failure?.status == 64)
        #expect(failure?.log.contains("--max-image-bytes") == true)
    }

    @Test(arguments: [ImageDataContract.plainImageBytes, ImageDataContract.maximumImageBytes])
    func `the largest image arrives`(size: Int) async throws {
        let largest = Data.pixel + Data(count: size - Data.pixel.count)
        try await RunningService.with("image-data", arguments: ["--max-image-bytes", "\(size)"]) { service in
            let url = try await service.client.call(ImageDataContract.put, PutImage(data: Bytes(largest))).url
            let image = try await service.client.call(ImageDataContract.load, LoadImage(url: url))
            #expect(image.data.data == largest)
            #expect(image.metadata.size == largest.count)
        }
    }

    /// Together the answers exceed the queue limit of a connection. All arrive, because calls wait until the queue drains.
    @Test func `ten of the largest images at once all arrive over one connection`() async throws {
        let largest = Data.pixel + Data(count: ImageDataContract.plainImageBytes - Data.pixel.count)
        try await RunningService.with("image-data") { service in
            let url = try await service.client.call(ImageDataContract.put, PutImage(data: Bytes(largest))).url
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 1...10 {
                    group.addTask {
                        try await service.client.call(ImageDataContract.load, LoadImage(url: url)).data.data == largest
                    }
                }
                for try await isWhole in group { #expect(isWhole) }
            }
        }
    }
}
