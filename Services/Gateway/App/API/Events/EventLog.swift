import NIOCore

/// The newest events of a service as text, limited in number and bytes. Readers have a position in it.
struct EventLog<Event: PublicEvent> {
    private let count: Int
    private let bytes: Int
    private var events: [(event: Event, text: ByteBuffer)] = []
    private var size = 0

    /// The position of the oldest event. Positions begin at 0 and are not reused.
    private(set) var start = 0

    /// The seq before the oldest event; nil until the service has named one.
    private var mark: String?

    /// - Parameters:
    ///   - count: the maximum number of events.
    ///   - bytes: the maximum size of their texts. The newest event is stored even if it is larger.
    init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }

    /// The position of the next event.
    var end: Int { start + events.count }

    /// The seq of the newest event, or of the state before the first one.
    var last: String? { events.last?.event.seq ?? mark }

    /// Sets the seq of the state before the first event.
    mutating func begin(at seq: String) { mark = seq }

    mutating func append(_ event: Event, _ text: ByteBuffer) {
        events.append((event, text))
        size += text.readableBytes
        while events.count > count || (size > bytes && events.count > 1) {
            let oldest = events.removeFirst()
            mark = oldest.event.seq
            size -= oldest.text.readableBytes
            start += 1
        }
    }

    /// The position after the event with this seq; nil when the log does not have it.
    func position(after seq: String) -> Int? {
        if let index = events.lastIndex(where: { $0.event.seq == seq }) { return start + index + 1 }
        return seq == mark ? start : nil
    }

    /// - Returns: nil for a position outside the log.
    subscript(position: Int) -> (event: Event, text: ByteBuffer)? {
        (start..<end).contains(position) ? events[position - start] : nil
    }
}
