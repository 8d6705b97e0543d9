import Dispatch
import NIOCore
import RPCTestKit
import Testing
import Timing

@testable import Upstream

struct ResolverTests {
    /// A resolver whose lookups hang until `end`.
    private final class SlowNames: Sendable {
        private let state = Watched((running: 0, most: 0, names: [String]()))
        private let gate = DispatchGroup()

        init() { gate.enter() }

        func end() { gate.leave() }

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

        func wait(running: Int) async { await state.wait { $0.running == running } }

        var most: Int { state.withLock(\.most) }
        var names: [String] { state.withLock(\.names) }
    }

    private static let limits = UpstreamLimits()
    private let clock = ManualClock()

    @Test func `hanging names delay others at most until the limit, and threads and queue are bounded`() async throws {
        let slow = SlowNames()
        let client = UpstreamClient(UpstreamSettings(), clock: clock, lookUp: slow.lookUp)
        let (places, excess) = (Self.limits.lookups + Self.limits.lookupsWaiting, 5)
        let errors = await withTaskGroup(of: UpstreamError?.self) { group in
            for number in 0..<places + excess {
                group.addTask { try? await client.failure("http://name\(number).test/") }
            }
            await clock.advance(by: TimeAmount(Self.limits.connectTime), once: places)
            return await group.reduce(into: [UpstreamError]()) { errors, error in error.map { errors.append($0) } }
        }
        #expect(errors.count { $0.stage == .connect } == places)
        #expect(errors.count { $0.isOverloaded } == excess)
        await slow.wait(running: Self.limits.lookups)
        #expect(slow.most == Self.limits.lookups)

        // The hanging lookups still run, but no request waits in the queue for them.
        async let error = client.failure("http://another.test/")
        await clock.advance(by: TimeAmount(Self.limits.connectTime), once: 1)
        #expect(try await error.stage == .connect)
        slow.end()
        await client.shutdown()
    }

    @Test func `hanging names of one site delay no other site and no name of the operator`() async throws {
        let slow = SlowNames()
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint("origin.evil.test:80")]
        let client = UpstreamClient(settings, clock: clock) { name in
            if name.hasSuffix("evil.test"), name != "origin.evil.test" { return slow.lookUp(name) }
            return .failure(SystemLookup.Failure(reason: "looked up"))
        }
        await withTaskGroup(of: Void.self) { group in
            let places = Self.limits.lookupsPerSite + Self.limits.lookupsWaitingPerSite
            for number in 0..<places { group.addTask { _ = try? await client.failure("http://n\(number).evil.test/") } }
            await clock.waitForTimers(places, within: TimeAmount(Self.limits.connectTime))
            let error = try? await client.failure("http://more.evil.test/")
            #expect(error?.isOverloaded == true, "\(String(describing: error))")
            for host in ["good.test", "origin.evil.test"] {
                let error = try? await client.failure("http://\(host)/")
                #expect(error?.isUnreachable == true, "\(String(describing: error))")
            }
            await slow.wait(running: Self.limits.lookupsPerSite)
            slow.end()
        }
        #expect(slow.most == Self.limits.lookupsPerSite)
        await client.shutdown()
    }

    @Test(arguments: [
        ("a.b.example.com", "example.com"), ("example.com", "example.com"), ("localhost", "localhost"),
    ]) func `a site is the last two labels of a name`(name: String, site: String) {
        #expect(Resolver.site(name) == site)
    }

    @Test func `concurrent requests for a name share one lookup`() async throws {
        let slow = SlowNames()
        let client = UpstreamClient(UpstreamSettings(), clock: clock, lookUp: slow.lookUp)
        await withTaskGroup(of: Void.self) { group in
            let places = Self.limits.connectionsPerOrigin
            for _ in 0..<places { group.addTask { _ = try? await client.failure("http://name.test/") } }
            await clock.waitForTimers(places, within: TimeAmount(Self.limits.connectTime))
            slow.end()
        }
        #expect(slow.names == ["name.test"])
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
