import JSON
import RPC

/// A connection for the calls of a case. It sends requests, and sorts what arrives by call.
final class CallConnection {
    private let connection: WireConnection
    private let reader: MessageReader
    private var waiting = WaitingMessages()
    private var openStreams: Set<Int> = []
    private var lastID = 0
    private var lastNumber = 0
    private var features: Set<String> = []

    /// The features of PROTOCOL.md §4 that it can use.
    static let features: Set = ["bytes", "parts", "credit"]

    /// - Parameter features: the features to negotiate; with none the connection begins without `rpc.hello`.
    init(to path: SocketPath, features: Set<String>, by deadline: Deadline) throws {
        connection = try WireConnection(to: path, by: deadline)
        reader = MessageReader(connection)
        if !features.isEmpty {
            self.features = try hello(features, by: deadline)
            reader.negotiated(self.features)
        }
    }

    /// - Returns: the features of both sides; none if the implementation does not know `rpc.hello`.
    private func hello(_ features: Set<String>, by deadline: Deadline) throws -> Set<String> {
        let params: JSONValue = ["protocols": [1], "features": .array(features.sorted().map(JSONValue.string))]
        let answer = try answer(of: send("rpc.hello", params, by: deadline).id, by: deadline)
        isGreeted = answer["result"] != nil
        return Set((answer["result"]?["features"]?.elements ?? []).compactMap(\.text))
    }

    var negotiated: Set<String> { features }

    /// Whether the implementation knows `rpc.hello`.
    private(set) var isGreeted = false

    // MARK: Calls

    /// Sends a request.
    /// - Returns: its id, and its text for the report.
    func send(
        _ method: String, _ params: JSONValue, meta: JSONMembers = JSONMembers(), attaches: Bool = false,
        by deadline: Deadline
    ) throws -> (id: Int, text: JSONValue) {
        lastID += 1
        var request: JSONMembers = JSONMembers([
            ("jsonrpc", "2.0"), ("id", .integer(lastID)), ("method", .string(method)), ("params", params),
        ])
        var (meta, bytes) = (meta, [[UInt8]]())
        if attaches {
            meta["attachments"] = true
            request["params"] = params.extractingBytes(to: &bytes)
        }
        if !meta.isEmpty { request["meta"] = .object(meta) }
        let numbers = bytes.indices.map { lastNumber + 1 + $0 }
        if !numbers.isEmpty { request["attachments"] = .array(numbers.map(JSONValue.integer)) }
        lastNumber += numbers.count
        if meta["stream"] == true { openStreams.insert(lastID) }
        let text = JSONValue.object(request)
        try connection.send(Frame(kind: Frame.message, payload: Array(text.json.utf8)), by: deadline)
        for (number, bytes) in zip(numbers, bytes) { try send(bytes, as: number, by: deadline) }
        return (lastID, text)
    }

    /// The number of bytes of an attachment that may be sent before the receiver grants more (PROTOCOL.md §4).
    static let attachmentBytes = 262_144

    private func send(_ bytes: [UInt8], as number: Int, by deadline: Deadline) throws {
        guard bytes.count <= Self.attachmentBytes else {
            throw ContractMistake("an attachment of a case has at most \(Self.attachmentBytes) bytes")
        }
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(65_536)
            rest = rest.dropFirst(part.count)
            let kind = rest.isEmpty ? Frame.lastChunk : Frame.chunk
            try connection.send(Frame(kind: kind, number: number, payload: part), by: deadline)
        } while !rest.isEmpty
    }

    func notify(_ method: String, _ params: JSONValue, by deadline: Deadline) throws {
        let request: JSONValue = ["jsonrpc": "2.0", "method": .string(method), "params": params]
        try connection.send(Frame(kind: Frame.message, payload: Array(request.json.utf8)), by: deadline)
    }

    // MARK: Answers

    /// Waits for the answer of a call.
    func answer(of id: Int, by deadline: Deadline) throws -> JSONValue {
        while true {
            if let answer = waiting.takeAnswer(of: id) { return answer }
            try receive(by: deadline)
        }
    }

    /// Waits for the next item of a stream; nil when the stream has ended.
    func item(of id: Int, by deadline: Deadline) throws -> JSONValue? {
        while true {
            if let item = waiting.takeItem(of: id) { return item }
            if waiting.hasAnswer(of: id) { return nil }
            try receive(by: deadline)
        }
    }

    private func receive(by deadline: Deadline) throws {
        guard let received = try reader.next(by: deadline) else { throw PeerFault("closed the connection") }
        let message = received.json
        guard message["jsonrpc"] == "2.0" else {
            throw PeerFault("sent a message without \"jsonrpc\":\"2.0\": \(message.excerpt)")
        }
        switch message["method"]?.text {
        case "rpc.item":
            guard let id = message["params"]?["id"]?.integer, let item = message["params"]?["item"],
                openStreams.contains(id)
            else {
                throw PeerFault("sent an item that belongs to no open stream: \(message.excerpt)")
            }
            try waiting.add(item: Message(json: item, size: received.size), of: id)
        case "rpc.draining": break
        case let method?: throw PeerFault("sent the unknown notification \(method)")
        case nil: try receive(answer: received)
        }
    }

    private func receive(answer message: Message) throws {
        let answer = message.json
        guard let id = answer["id"]?.integer, (1...lastID).contains(id) else {
            throw PeerFault("sent an answer whose id is of no call: \(answer.excerpt)")
        }
        guard (answer["result"] == nil) != (answer["error"] == nil) else {
            throw PeerFault("sent an answer that must have one of result and error: \(answer.excerpt)")
        }
        guard finished.insert(id).inserted else { throw PeerFault("answered a call twice: \(answer.excerpt)") }
        try waiting.add(answer: message, of: id)
        openStreams.remove(id)
    }

    private var finished: Set<Int> = []
}
