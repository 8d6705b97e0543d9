import EdgeKit
import Foundation
import NIOCore
import Testing

struct ServerSentEventsTests {
    private static let text = """
        retry: 2000

        :

        id: 1
        event: published
        data: {"a":
        data: 1}

        id: 2

        event:removed
        data:x\r
        \r
        data
        unknown: y

        id
        id: 3 : 4


        """

    private static func event(_ name: String, _ data: String, _ id: String? = nil) -> ServerSentEvents.Event {
        ServerSentEvents.Event(name: name, data: Data(data.utf8), id: id)
    }

    @Test(arguments: 1...text.utf8.count) func `events are read from pieces of any size`(size: Int) throws {
        var parser = ServerSentEvents(after: "0")
        #expect(parser.lastID == "0")
        var (events, bytes) = ([ServerSentEvents.Event](), ByteBuffer(string: Self.text))
        while let piece = bytes.readSlice(length: min(size, bytes.readableBytes)), piece.readableBytes > 0 {
            events += try parser.receive(piece)
        }
        #expect(
            events == [
                Self.event("published", "{\"a\":\n1}", "1"), Self.event("", "", "2"), Self.event("removed", "x"),
                Self.event("", ""), Self.event("", "", "3 : 4"),
            ])
        #expect(parser.lastID == "3 : 4")
    }

    /// Otherwise it would be missing after the next connection.
    @Test func `the id of an event that was cut off does not count`() throws {
        var parser = ServerSentEvents()
        _ = try parser.receive(ByteBuffer(string: "id: 1\n\nid: 2\nevent: removed\ndata: {}\n"))
        #expect(parser.lastID == "1")
        _ = try parser.receive(ByteBuffer(string: "\n"))
        #expect(parser.lastID == "2")
    }

    @Test(arguments: [0, 1]) func `the size of a line is limited`(excess: Int) throws {
        var parser = ServerSentEvents()
        let count = ServerSentEvents.maximumBytes + excess
        let piece = ByteBuffer(string: "data: " + String(repeating: "x", count: count - 6))
        if excess == 0 {
            #expect(try parser.receive(piece) == [])
        } else {
            #expect(throws: ServerSentEvents.TooLong.self) { try parser.receive(piece) }
        }
    }

    @Test(arguments: [0, 1]) func `the size of the data of an event is limited`(excess: Int) throws {
        var parser = ServerSentEvents()
        let line = String(repeating: "x", count: ServerSentEvents.maximumBytes / 2)
        #expect(try parser.receive(ByteBuffer(string: "data: \(line)\n")) == [])
        // A line feed joins the lines.
        let rest = ByteBuffer(string: "data: \(line.dropFirst(2 - excess))x\n\n")
        if excess == 0 {
            #expect(try parser.receive(rest).map(\.data.count) == [ServerSentEvents.maximumBytes])
        } else {
            #expect(throws: ServerSentEvents.TooLong.self) { try parser.receive(rest) }
        }
    }
}
