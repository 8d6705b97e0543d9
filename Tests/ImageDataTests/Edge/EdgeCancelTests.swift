import Foundation
import ImageData
import ImageDataContract
import RPC
import RPCTestKit
import Testing

@testable import image_data_service

/// A caller who goes takes along what only it wanted.
@Suite(.timeLimit(.minutes(1))) struct EdgeCancelTests {
    /// Far more than it takes, far less than any time limit.
    private static let soon = Duration.seconds(2)

    @Test func `the origin's connection closes when the last caller goes`() async throws {
        try await OriginServer.with { _ in
            [.stall]
        } _: { origin in
            try await EdgeService.with(origin) { service in
                let callers = (1...2).map { _ in Task { try await service.load(origin.url) } }
                await origin.history.wait { $0.requests.count == 1 }
                while service.fetches.waiters < 2 { await Task.yield() }
                callers[0].cancel()
                _ = await callers[0].result
                while service.fetches.waiters > 1 { await Task.yield() }
                #expect(origin.history.openConnections == 1)

                let start = ContinuousClock.now
                callers[1].cancel()
                await origin.history.wait(for: .closed(0))
                #expect(ContinuousClock.now - start < Self.soon)
                _ = await callers[1].result
                while !service.isIdle { await Task.yield() }
            }
        }
    }

    @Test func `a download under way ends too`() async throws {
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
                while !service.isIdle { await Task.yield() }
                // It was not resumed.
                #expect(origin.history.requests.count == 1)
                let kind = try await service.failure(origin.url, nil, .cacheOnly)
                #expect(kind == .notFound)
            }
        }
    }

    @Test func `a caller whose connection is lost is one who goes`() async throws {
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
                while !service.isIdle { await Task.yield() }
            }
        }
    }

    @Test func `the place of who goes is for who waits`() async throws {
        try await OriginServer.with { request in
            request.path == "/slow" ? [.stall] : [.picture(1)]
        } _: { origin in
            try await EdgeService.with(origin, EdgeService.Options(concurrency: 1)) { service in
                for round in 1...20 {
                    let slow = Task { try await service.load(origin.url + "/slow") }
                    await origin.history.wait { $0.requests.filter { $0.path == "/slow" }.count == round }
                    let fast = Task { try await service.load("\(origin.url)/\(round)") }
                    while service.fetches.load.waiting == 0 { await Task.yield() }
                    slow.cancel()
                    let data = try await fast.value.data.data
                    #expect(data == picture(1))
                }
                while !service.isIdle { await Task.yield() }
            }
        }
    }

    @Test func `a prefetch that is cancelled finishes what has begun and begins nothing more`() async throws {
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
                while service.fetches.load.waiting > 0 { await Task.yield() }
                #expect(service.fetches.load.running == 2)
                #expect(origin.history.openConnections == 2)
                #expect(origin.history.requests.count == 2)
            }
        }
    }

    /// Whatever the moment, whoever else waits.
    @Test(arguments: UInt64(1)...5) func `callers that come and go leak no place`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await OriginServer.with { request in
            request.path.hasSuffix("0") ? [.stall] : [.pause(1), .picture(1)]
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
                    await Task.yield()
                }
                for caller in callers { caller.cancel() }
                for caller in callers { await caller.value }
                while !service.isIdle { await Task.yield() }
                let data = try await service.load(origin.url + "/1", nil, .reload).data.data
                #expect(data == picture(1))
            }
        }
    }
}
