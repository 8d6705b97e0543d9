import JSON
import NIOCore
import NIOEmbedded

@testable import RPC

/// Checks a server's answers from its peer's point of view: they must be valid frames, numbers and JSON, and must not
/// exceed what was requested.
struct FuzzReader {
    /// The maximum length of the server's messages.
    var frameLimit = Limits.largestFrameLength

    private var decoder = FrameDecoder(limit: Limits.largestFrameLength)
    private let transfers: IncomingTransfers
    private var asked: [String: Int] = [:]
    private var answered: [String: Int] = [:]
    private var itemsGranted: [String: Int] = [:]
    private var itemsSeen: [String: Int] = [:]
    private var bytesGranted: [UInt32: Int] = [:]
    private var bytesSeen: [UInt32: Int] = [:]

    init() {
        var limits = Limits()
        limits.openTransfers = 65_536
        limits.assembledBytes = .max / 2
        limits.assembledBytesPerProcess = .max / 2
        limits.frameBytes = Limits.largestFrameLength
        transfers = IncomingTransfers(
            limits: limits,
            budget: AssemblyBudget(
                limit: limits.assembledBytes, processLimit: limits.assembledBytesPerProcess,
                process: LoopExecutor(EmbeddedEventLoop(), threads: nil).assembly),
            reply: { _ in })
    }

    // MARK: Actions of the peer

    mutating func asked(_ id: String) { asked[Self.plain(id), default: 0] += 1 }

    mutating func granted(_ items: Int, to id: String) { itemsGranted[Self.plain(id), default: 0] += items }

    mutating func granted(_ bytes: UInt32, to number: UInt32) { bytesGranted[number, default: 0] += Int(bytes) }

    /// Zero has two spellings.
    private static func plain(_ id: String) -> String { id == "-0" ? "0" : id }

    // MARK: Received frames

    mutating func read(_ bytes: ByteBuffer, _ features: Features) throws {
        guard bytes.readableBytes > 0 else { return }
        decoder.features = features
        decoder.append(bytes)
        while let frame = try decoder.next() {
            try count(frame)
            switch frame.kind {
            case .message: try message(frame.payload)
            case .compressedMessage: try message(Zlib.decompress(frame.payload, limit: Limits.largestFrameLength))
            case .credit, .stop: break
            default: if let text = try transfers.receive(frame, now: .uptimeNanoseconds(0)) { try message(text) }
            }
        }
    }

    private mutating func count(_ frame: Frame) throws {
        var payload = frame.payload
        switch frame.kind {
        case .attachmentChunk, .lastAttachmentChunk, .part, .lastPart:
            guard decoder.features.contains(.credit), let number = payload.readInteger(as: UInt32.self) else { return }
            bytesSeen[number, default: 0] += payload.readableBytes
            try FuzzFinding.unless(
                bytesSeen[number, default: 0] <= Limits.creditWindow + bytesGranted[number, default: 0],
                "more bytes than were granted")
        default: break
        }
    }

    private mutating func message(_ text: ByteBuffer) throws {
        let tree = try JSONTree(RawJSON(checking: text.readableBytesView))
        switch tree {
        case .object(let members):
            try answer(members)
            let numbers = tree["attachments"]?.numbers ?? []
            try transfers.expect(
                IncomingAttachments(numbers, areChecked: false, whenDone: { _ in }), now: .uptimeNanoseconds(0))
        case .array(let answers):
            for case .object(let members) in answers { try answer(members) }
        default: throw FuzzFinding(description: "the server sent an invalid message")
        }
    }

    private mutating func answer(_ members: [(name: [UInt8], value: JSONTree)]) throws {
        let tree = JSONTree.object(members)
        if tree["method"]?.text == "rpc.item" {
            let id = Self.plain(tree["params"]?["id"]?.spelling ?? "")
            itemsSeen[id, default: 0] += 1
            try FuzzFinding.unless(
                itemsSeen[id, default: 0] <= itemsGranted[id, default: 0], "more items than were granted to \(id)")
        }
        guard tree["method"] == nil, let id = tree["id"], id != .null else { return }
        let name = Self.plain(id.spelling)
        answered[name, default: 0] += 1
        try FuzzFinding.unless(
            answered[name, default: 0] <= asked[name, default: 0], "\(name) was answered more often than it was asked")
    }
}

extension JSONTree {
    fileprivate subscript(_ name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name.elementsEqual(name.utf8) }?.value
    }

    fileprivate var text: String? {
        guard case .string(let utf8) = self else { return nil }
        return String(decoding: utf8, as: UTF8.self)
    }

    fileprivate var numbers: [UInt32] {
        guard case .array(let elements) = self else { return [] }
        return elements.compactMap { if case .number(let text) = $0 { UInt32(text) } else { nil } }
    }

    fileprivate var spelling: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
