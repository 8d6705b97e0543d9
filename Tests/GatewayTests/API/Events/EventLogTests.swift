import FeedContract
import NIOCore
import Testing

@testable import gateway

@Suite struct EventLogTests {
    private static func log(_ events: Int, count: Int = 3, bytes: Int = 100) -> EventLog<FeedEvent> {
        var log = EventLog<FeedEvent>(count: count, bytes: bytes)
        log.begin(at: "0")
        for number in 1..<(events + 1) { log.append(Self.event("\(number)"), ByteBuffer(string: "\(number)")) }
        return log
    }

    private static func event(_ seq: String) -> FeedEvent { FeedEvent(seq: seq, change: .reset) }

    @Test func `an empty log knows only the state that it begins at`() {
        let log = Self.log(0)
        #expect(log.position(after: "0") == 0 && log.position(after: "1") == nil && log.last == "0" && log.end == 0)
        #expect(EventLog<FeedEvent>(count: 1, bytes: 1).last == nil)
    }

    @Test func `an event is found after the one before it`() {
        let log = Self.log(2)
        #expect(log.position(after: "0") == 0 && log.position(after: "1") == 1 && log.position(after: "2") == 2)
        #expect(log[0]?.text == ByteBuffer(string: "1") && log[1]?.text == ByteBuffer(string: "2") && log[2] == nil)
    }

    @Test func `above the number of events the oldest is dropped`() {
        #expect(Self.log(3).start == 0)
        let log = Self.log(4)
        #expect(log.start == 1 && log.end == 4 && log[0] == nil)
        #expect(log.position(after: "0") == nil && log.position(after: "1") == 1)
    }

    @Test func `above the number of bytes the oldest is dropped, but never the newest`() {
        var log = EventLog<FeedEvent>(count: 10, bytes: 4)
        log.append(Self.event("a"), ByteBuffer(string: "aa"))
        log.append(Self.event("b"), ByteBuffer(string: "bb"))
        #expect(log.start == 0)
        log.append(Self.event("c"), ByteBuffer(string: "c"))
        #expect(log.start == 1)
        log.append(Self.event("d"), ByteBuffer(string: "dddddddd"))
        #expect(log.start == 3 && log[3] != nil)
    }
}
