import NIOCore

@testable import RPC

/// A peer that behaves arbitrarily: it makes frames from a script. Most are valid, or nearly so.
struct WildPeer {
    /// The size of the pieces in which it sends; zero for whole.
    private(set) var cut = 0
    private var nextNumber: UInt32 = 1

    /// The unsent parts of a message.
    private var parts: [(number: UInt32, text: ArraySlice<UInt8>)] = []

    /// The chunk that it sends repeatedly.
    private static let zeros = [UInt8](repeating: 0, count: 70_000)

    mutating func changeCut(_ input: inout FuzzInput) { cut = input.one(of: [0, 1, 3, 4, 5, 100, 10_000]) }

    /// A transfer number: a new one, a recent one, or any.
    mutating func number(_ input: inout FuzzInput) -> UInt32 {
        let choice = input.byte()
        switch choice {
        case 0..<64: return newNumber()
        case 64..<240: return nextNumber > UInt32(choice & 15) ? nextNumber - UInt32(choice & 15) : 1
        default: return input.one(of: [0, 1, 2_000, UInt32.max, UInt32.max - 1])
        }
    }

    mutating func newNumber() -> UInt32 {
        defer { nextNumber &+= 1 }
        return nextNumber
    }

    /// The numbers that a message announces: mostly new ones, at most 80.
    mutating func numbers(_ input: inout FuzzInput) -> [UInt32] {
        let choice = input.byte()
        if choice & 0x80 != 0 { return [number(&input)] }
        return (0..<Int(choice) % 80).map { _ in newNumber() }
    }

    // MARK: Frames

    static func frame(_ kind: Frame.Kind, number: UInt32? = nil, _ payload: some Collection<UInt8>) -> [UInt8] {
        var bytes = ByteBuffer()
        bytes.writeHeader(kind, length: payload.count + (number == nil ? 0 : Frame.numberLength))
        if let number { bytes.writeInteger(number) }
        bytes.writeBytes(payload)
        return Array(buffer: bytes)
    }

    /// A message, in any of the forms that frames allow.
    mutating func message(_ text: String, _ input: inout FuzzInput) -> [UInt8] {
        let bytes = Array(text.utf8)
        switch input.number(below: 8) {
        case 0:
            parts.append((newNumber(), bytes[...]))
            return []
        case 1:
            return Zlib.compress(ByteBuffer(bytes: bytes)).map { Self.frame(.compressedMessage, $0.readableBytesView) }
                ?? []
        default: return Self.frame(.message, bytes)
        }
    }

    /// The next part of a message in parts.
    mutating func part(_ input: inout FuzzInput) -> [UInt8] {
        guard !parts.isEmpty else {
            return Self.frame(input.flag() ? .part : .lastPart, number: number(&input), Self.length(&input))
        }
        let index = input.number(below: parts.count)
        let (number, text) = parts[index]
        let part = text.prefix(input.one(of: [70_000, 0, 1, 10, 1_000, 65_536]))
        parts[index].text = text.dropFirst(part.count)
        guard parts[index].text.isEmpty else { return Self.frame(.part, number: number, part) }
        parts.remove(at: index)
        return Self.frame(.lastPart, number: number, part)
    }

    mutating func chunk(_ input: inout FuzzInput) -> [UInt8] {
        let kind: Frame.Kind = input.flag() ? .attachmentChunk : .lastAttachmentChunk
        return Self.frame(kind, number: number(&input), Self.length(&input))
    }

    private static func length(_ input: inout FuzzInput) -> ArraySlice<UInt8> {
        zeros.prefix(input.one(of: [0, 1, 100, 20_000, 65_536, 65_536, 65_537]))
    }

    static func credit(_ number: UInt32, _ bytes: UInt32) -> [UInt8] {
        frame(.credit, number: number, ByteBuffer(integer: bytes).readableBytesView)
    }

    static func creditBytes(_ input: inout FuzzInput) -> UInt32 {
        input.one(of: [0, 1, 1_000, 262_144, 262_144, 16 * 1_024 * 1_024, UInt32.max])
    }

    mutating func aborted(_ input: inout FuzzInput) -> [UInt8] {
        let reason = input.one(of: ["", "cancelled", "too_large", "because", String(repeating: "é", count: 128)])
        return Self.frame(.aborted, number: number(&input), reason.utf8)
    }

    static func raw(_ input: inout FuzzInput) -> [UInt8] { input.take(input.number(below: 64)) }
}
