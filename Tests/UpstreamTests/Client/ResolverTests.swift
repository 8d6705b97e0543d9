import Dispatch
import RPCTestKit
import Synchronization
import Testing

@testable import Upstream

@Suite(.timeLimit(.minutes(5))) struct ResolverTests {
    /// A resolver with controllable delays.
    private final class SlowNames: Sendable {
        private let state = Mutex((running: 0, most: 0, names: [String]()))
        let gate = DispatchSemaphore(value: 0)

        func lookUp(_ name: String) -> Result<[IPAddress], SystemLookup.Failure> {
            state.withLock { state in
                state.running += 1
                state.most = max(state.most, state.running)
                state.names.append(name)
            }
            gate.wait()
            state.withLock { $0.running -= 1 }
            return .failure(SystemLookup.Failure(reason: "slow"))
        }

        var most: Int { state.withLock(\.most) }
        var names: [String] { state.withLock(\.names) }
    }

    @Test func `hanging names delay others at most until the limit, and threads and queue are bounded`() async throws {
        let slow = SlowNames()
        var settings = UpstreamSettings()
        settings.limits.lookups = 3
        settings.limits.lookupsWaiting = 2
        settings.limits.connectTime = .milliseconds(200)
        let client = UpstreamClient(settings, lookUp: slow.lookUp)
        let errors = await withTaskGroup(of: UpstreamError?.self) { group in
            for number in 0..<10 { group.addTask { try? await client.failure("http://name\(number).test/") } }
            return await group.reduce(into: [UpstreamError]()) { errors, error in error.map { errors.append($0) } }
        }
        #expect(errors.filter { $0.stage == .connect }.count == 5)
        #expect(errors.filter { if case .overloaded = $0 { true } else { false } }.count == 5)
        #expect(slow.most == 3)

        // The hanging lookups still run, but no request waits in the queue for them.
        let error = try await client.failure("http://another.test/")
        #expect(error.stage == .connect)
        for _ in 0..<20 { slow.gate.signal() }
        await client.shutdown()
    }

    @Test func `hanging names of one site delay no other site and no name of the operator`() async throws {
        let slow = SlowNames()
        var settings = UpstreamSettings()
        settings.limits.lookups = 4
        settings.limits.lookupsPerSite = 2
        settings.limits.lookupsWaitingPerSite = 3
        settings.limits.connectTime = .seconds(60)
        settings.trusted = [try UpstreamEndpoint("origin.evil.test:80")]
        let client = UpstreamClient(settings) { name in
            if name.hasSuffix("evil.test"), name != "origin.evil.test" { return slow.lookUp(name) }
            return .failure(SystemLookup.Failure(reason: "looked up"))
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<5 { group.addTask { _ = try? await client.failure("http://n\(number).evil.test/") } }
            // Two lookups hang and three wait. One more exceeds the limit.
            for number in 0... {
                let url = "http://more\(number).evil.test/"
                let error = try? await client.failure(url, cancelledAfter: .milliseconds(1))
                if case .overloaded? = error { break }
            }
            for host in ["good.test", "origin.evil.test"] {
                let error = try? await client.failure("http://\(host)/")
                #expect(error?.isUnreachable == true, "\(String(describing: error))")
            }
            for _ in 0..<20 { slow.gate.signal() }
        }
        #expect(slow.most <= 2)
        await client.shutdown()
    }

    @Test(arguments: [
        ("a.b.example.com", "example.com"), ("example.com", "example.com"), ("localhost", "localhost"),
    ]) func `a site is the last two labels of a name`(name: String, site: String) {
        #expect(Resolver.site(name) == site)
    }

    @Test func `concurrent requests for a name share one lookup`() async throws {
        let slow = SlowNames()
        let client = UpstreamClient(UpstreamSettings(), lookUp: slow.lookUp)
        await withTaskGroup(of: Void.self) { group in
            let started = AsyncStream.makeStream(of: Void.self)
            for _ in 0..<20 {
                group.addTask {
                    started.continuation.yield()
                    _ = try? await client.failure("http://name.test/")
                }
            }
            var iterator = started.stream.makeAsyncIterator()
            for _ in 0..<20 { await iterator.next() }
            while slow.names.isEmpty { await Task.yield() }
            _ = await client.connections
            for _ in 0..<20 { slow.gate.signal() }
        }
        #expect(slow.most == 1)
        await client.shutdown()
    }

    @Test func `a name that does not exist is unreachable`() async throws {
        let client = UpstreamClient()
        let error = try await client.failure("http://no-such-name.invalid/")
        #expect(error.isUnreachable, "\(error)")
        await client.shutdown()
    }

    @Test func `names of the system are resolved`() async throws {
        let client = UpstreamClient()
        let error = try await client.failure("http://localhost/")
        #expect(error.refusedAddress != nil, "\(error)")
        await client.shutdown()
    }
}
