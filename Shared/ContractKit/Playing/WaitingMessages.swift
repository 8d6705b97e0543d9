import JSON

/// The answers and items that have arrived and wait for their steps. An implementation may send them without being asked, so their number
/// and their size are limited.
struct WaitingMessages {
    /// The most messages that may wait.
    static let maximumCount = 10_000

    /// The most bytes that may wait.
    static let maximumBytes = MessageReader.maximumBytes

    private var answers: [Int: Message] = [:]
    private var items: [Int: [Message]] = [:]
    private var count = 0
    private var bytes = 0

    func hasAnswer(of id: Int) -> Bool { answers[id] != nil }

    /// - Throws: `PeerFault` past a limit.
    mutating func add(answer: Message, of id: Int) throws {
        try note(answer)
        answers[id] = answer
    }

    /// - Throws: `PeerFault` past a limit.
    mutating func add(item: Message, of id: Int) throws {
        try note(item)
        items[id, default: []].append(item)
    }

    mutating func takeAnswer(of id: Int) -> JSONValue? {
        let answer = answers.removeValue(forKey: id)
        return answer.map { taken($0) }
    }

    mutating func takeItem(of id: Int) -> JSONValue? {
        guard items[id]?.isEmpty == false, let item = items[id]?.removeFirst() else { return nil }
        return taken(item)
    }

    private mutating func note(_ message: Message) throws {
        guard count < Self.maximumCount else {
            throw PeerFault("sent more than \(Self.maximumCount) messages that nothing asked for")
        }
        guard bytes + message.size <= Self.maximumBytes else {
            throw PeerFault("sent more than \(Self.maximumBytes) bytes in messages that nothing asked for")
        }
        count += 1
        bytes += message.size
    }

    private mutating func taken(_ message: Message) -> JSONValue {
        count -= 1
        bytes -= message.size
        return message.json
    }
}
