import Foundation
import NIOCore

/// Parses server-sent events (WHATWG HTML, 9.2.6): a value without I/O.
public struct ServerSentEvents: Sendable {
    /// A block of lines.
    public struct Event: Equatable, Sendable {
        /// Empty for a block that only states the id.
        public var name: String
        public var data: Data
        public var id: String?

        public init(name: String = "", data: Data = Data(), id: String? = nil) {
            self.name = name
            self.data = data
            self.id = id
        }
    }

    /// A line or the data of an event are too long.
    public struct TooLong: Error {}

    /// The maximum size of a line and of the data of an event, in bytes.
    public static let maximumBytes = 4 * 1_024 * 1_024

    private var line = ByteBuffer()
    private var event = Event()
    private var isEmpty = true

    /// The id of the last complete event that has one; nil before the first one.
    public private(set) var lastID: String?

    /// - Parameter lastID: the last event before these.
    public init(after lastID: String? = nil) { self.lastID = lastID }

    /// - Returns: the events that these bytes complete.
    public mutating func receive(_ bytes: ByteBuffer) throws(TooLong) -> [Event] {
        var (events, bytes) = ([Event](), bytes)
        while let end = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            if var piece = bytes.readSlice(length: end - bytes.readerIndex + 1) { line.writeBuffer(&piece) }
            try checkSize()
            if let complete = take(line.readString(length: line.readableBytes) ?? "") { events.append(complete) }
            line.clear()
        }
        line.writeBuffer(&bytes)
        try checkSize()
        return events
    }

    private func checkSize() throws(TooLong) {
        guard line.readableBytes <= Self.maximumBytes, event.data.count <= Self.maximumBytes else { throw TooLong() }
    }

    /// - Parameter text: a line with its end.
    private mutating func take(_ text: String) -> Event? {
        let line = text.trimmingSuffix { $0.isNewline }
        guard !line.isEmpty else {
            defer { (event, isEmpty) = (Event(), true) }
            // Not before: an event that was cut off must come again.
            lastID = event.id ?? lastID
            return isEmpty ? nil : event
        }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count < 2 ? "" : parts[1].first == " " ? parts[1].dropFirst() : parts[1]
        switch parts[0] {
        case "event": event.name = String(value)
        case "data":
            if !event.data.isEmpty { event.data.append(UInt8(ascii: "\n")) }
            event.data.append(contentsOf: value.utf8)
        case "id" where !value.contains("\0"): event.id = String(value)
        // A comment has an empty name.
        default: return nil
        }
        isEmpty = false
        return nil
    }
}

extension String {
    fileprivate func trimmingSuffix(_ isTrimmed: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !isTrimmed($0) }) else { return "" }
        return self[...last]
    }
}
