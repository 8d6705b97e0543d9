import Foundation
import ImageData
import ImageDataContract
import RPC
import RPCTestKit
import Testing

@testable import image_data_service

/// A cancelled call cancels the fetch that only it waits for.
struct EdgeCancelTests {
    @Test func `the connection to the origin closes when the last caller cancels`() async throws {
        var options = EdgeService.Options()
        // No time limit can close the connection.
        options.time = ManualClock()
        try await OriginServer.with { _ in
            [.stall]
        } _: { [options] origin in
            try await EdgeService.with(origin, options) { service in
                let callers = (1...2).map { _ in Task { try await service.load(origin.url) } }
                await origin.history.wait { $0.requests.count == 1 }
                await service.fetches.wait { $0.callers == 2 }
                callers[0].cancel()
                _ = await callers[0].result
                await service.fetches.wait { $0.callers == 1 }
                #expect(origin.history.openConnections == 1)

                callers[1].cancel()
                await origin.history.wait(for: .closed(0))
                _ = await callers[1].result
                await service.waitUntilIdle()
            }
        }
    }

    @Test func `a download in progress is cancelled too`() async throws {
        let beginning = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".utf8) + [UInt8](picture(1))
        try await OriginServer.with { _ in
            [.send(beginning), .stall]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let caller = Task { try await service.load(origin.url) }
                await origin.history.wait { $0.requests.count == 1 }
                caller.cancel()
                await origin.history.wait(for: .closed(0))
                _ = await caller.result
                await service.waitUntilIdle()
                // The download was not resumed.
                #expect(origin.history.requests.count == 1)
                let kind = try await service.failure(origin.url, nil, .cacheOnly)
                #expect(kind == .notFound)
            }
        }
    }

    @Test func `a lost connection cancels the calls on it`() async throws {
        try await OriginServer.with { _ in
            [.stall]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let path = service.path
                let caller = Task {
                    try await RPCClient.withConnection(to: path, as: "gone") { client in
                        try await client.call(ImageDataContract.load, LoadImage(url: origin.url))
                    }
                }
                await origin.history.wait { $0.requests.count == 1 }
                caller.cancel()
                await origin.history.wait(for: .closed(0))
                _ = await caller.result
                await service.waitUntilIdle()
            }
        }
    }

    @Test func `the fetch slot of a cancelled call is given to a waiting one`() async throws {
        try await OriginServer.with { request in
            request.path == "/slow" ? [.stall] : [.picture(1)]
        } _: { origin in
            try await EdgeService.with(origin, EdgeService.Options(concurrency: 1)) { service in
                for round in 1...20 {
                    let slow = Task { try await service.load(origin.url + "/slow") }
                    await origin.history.wait { $0.requests.filter { $0.path == "/slow" }.count == round }
                    let fast = Task { try await service.load("\(origin.url)/\(round)") }
                    await service.fetches.wait { $0.waiting == 1 }
                    slow.cancel()
                    let data = try await fast.value.data.data
                    #expect(data == picture(1))
                }
                await service.waitUntilIdle()
            }
        }
    }

    @Test func `a cancelled prefetch finishes fetches in progress and starts no others`() async throws {
        let answers = Answers(.stall)
        try await OriginServer.with(answers.script) { origin in
            try await EdgeService.with(origin, EdgeService.Options(concurrency: 2)) { service in
                let urls = (1...50).map { "\(origin.url)/\($0)" }
                let prefetch = Task {
                    try await service.client.call(ImageDataContract.prefetch, PrefetchImages(urls: urls))
                }
                await origin.history.wait { $0.requests.count == 2 }
                prefetch.cancel()
                _ = await prefetch.result
                await service.fetches.wait { $0.waiting == 0 }
                #expect(service.fetches.load.running == 2)
                #expect(origin.history.openConnections == 2)
                #expect(origin.history.requests.count == 2)
            }
        }
    }

    /// At random moments, with random other callers.
    @Test(arguments: UInt64(1)...5) func `cancelled calls leak no fetch slots`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await OriginServer.with { request in
            request.path.hasSuffix("0") ? [.stall] : [.picture(1)]
        } _: { origin in
            try await EdgeService.with(origin, EdgeService.Options(concurrency: 2)) { service in
                var callers: [Task<Void, Never>] = []
                for _ in 0..<300 {
                    let url = "\(origin.url)/\(Int.random(in: 0...15, using: &random))"
                    let strategy: LoadImage.Strategy? = Bool.random(using: &random) ? .reload : nil
                    callers.append(Task { _ = try? await service.load(url, nil, strategy) })
                    if callers.count > 10 || Bool.random(using: &random) {
                        callers.remove(at: Int.random(in: 0..<callers.count, using: &random)).cancel()
                    }
                    // After an answer the service has received the calls before it.
                    for _ in 0..<Int.random(in: 0...2, using: &random) {
                        _ = try await service.client.call(ProtocolMethods.ping, Empty())
                    }
                }
                for caller in callers { caller.cancel() }
                for caller in callers { await caller.value }
                await service.waitUntilIdle()
                let data = try await service.load(origin.url + "/1", nil, .reload).data.data
                #expect(data == picture(1))
            }
        }
    }
}
