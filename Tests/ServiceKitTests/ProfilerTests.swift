import Logging
import RPC
import RPCTestKit
import ServiceKit
import Testing

@Suite struct ProfilerTests {
    private let log = RecordedLog()

    private let clock = ManualClock()

    private func profiler(_ switches: Set<ProfileSwitch>) -> Profiler {
        Profiler(switches, logger: log.logger, clock: clock)
    }

    private struct Failure: Error, CustomStringConvertible {
        let description = "nobody there"
    }

    /// Two loads of a quarter of a second.
    private func loadBoth(_ profiler: Profiler) async {
        let size = await profiler.loading("http://a/1", bytes: { $0 }) {
            await clock.advance(by: .milliseconds(250))
            return 7
        }
        #expect(size == 7)
        await #expect(throws: Failure.self) {
            try await profiler.loading("http://a/2", bytes: { $0 }) { () async throws(Failure) -> Int in
                await clock.advance(by: .milliseconds(250))
                throw Failure()
            }
        }
        profiler.missed("http://a/3")
    }

    @Test(
        arguments: [
            ([], []),
            (
                [.time],
                [
                    "Started loading http://a/1", "Finished loading http://a/1 in 0.250 seconds",
                    "Started loading http://a/2",
                ]
            ),
            ([.errors], ["Failed to load http://a/2 after 0.250 seconds: nobody there"]),
            ([.misses], ["Cache miss for http://a/3"]),
            ([.bytes], ["Loaded http://a/1 (7 bytes)"]),
            (
                [.time, .errors, .misses, .bytes],
                [
                    "Started loading http://a/1", "Finished loading http://a/1 in 0.250 seconds (7 bytes)",
                    "Started loading http://a/2", "Failed to load http://a/2 after 0.250 seconds: nobody there",
                    "Cache miss for http://a/3",
                ]
            ),
        ] as [(Set<ProfileSwitch>, [String])])
    func `each switch has its own lines`(switches: Set<ProfileSwitch>, lines: [String]) async {
        await loadBoth(profiler(switches))
        #expect(log.lines == lines)
    }

    @Test func `every line has the trace id of the request`() async {
        let trace = TraceContext.random()
        await TraceContext.$current.withValue(trace) { await loadBoth(profiler(Set(ProfileSwitch.allCases))) }
        #expect(log.metadata("trace_id") == Array(repeating: trace.id, count: 5))
    }

    @Test func `the switches are options`() throws {
        #expect(try ProfileOptions.parse([]).profiled == [])
        #expect(try ProfileOptions.parse(["--profile", "time", "misses"]).profiled == [.time, .misses])
        #expect(throws: (any Error).self) { try ProfileOptions.parse(["--profile", "everything"]) }
    }
}
