import RPC
import RPCTestKit
import Testing

@testable import gateway

@Suite struct PluginStandingTests {
    @Test func `each change is one line with plugin and socket, except the first appearance`() throws {
        let log = RecordedLog()
        let standing = PluginStanding(name: "likes", path: try SocketPath("/run/likes.sock"), logger: log.logger)
        let changes: [PeerChange] = [
            .appeared, .down(reason: "refused"), .returned(isNew: true), .silent, .returned(isNew: false), .restarted,
            .violated(reason: "a bad frame"), .incompatible(reason: "it does not offer likes 2"),
        ]
        for change in changes { standing.note(change) }
        #expect(log.lines.count == changes.count - 1)
        #expect(log.lines.allSatisfy { $0.hasPrefix("plugin likes at /run/likes.sock ") })
        #expect(standing.mismatch == "it does not offer likes 2")
        standing.note(.restarted)
        #expect(standing.mismatch == nil)
    }

    @Test func `a change detected by a call is logged with its trace id`() throws {
        let log = RecordedLog()
        let standing = PluginStanding(name: "likes", path: try SocketPath("/run/likes.sock"), logger: log.logger)
        let trace = TraceContext.random()
        TraceContext.$current.withValue(trace) { standing.note(.silent) }
        standing.note(.returned(isNew: false))
        #expect(log.metadata("trace_id") == [trace.id, nil])
    }
}
