/// What a `FaultProxy` does to what passes through it.
public enum Fault: Sendable, CaseIterable {
    /// Writes are split and joined at random places.
    case pieces
    /// The same, and everything takes its time.
    case delays
    /// What comes is left in the kernel's buffers for a while, again and again.
    case pauses
    /// Chunks and parts of different numbers change places, as far as a sender might have sent them in that order.
    case reorders
    /// Connections end after a random number of bytes, in the middle of whatever that is.
    case drops
    /// One direction ends after a random number of bytes, as if its sender had shut it down; a little later all ends.
    case truncations

    /// Whether all that goes in comes out, so that every call must go well.
    public var isHarmless: Bool {
        switch self {
        case .pieces, .delays, .pauses, .reorders: true
        case .drops, .truncations: false
        }
    }
}

/// One direction of a connection through a `FaultProxy`: bytes in, pieces out. A value without I/O, the same in every run
/// for the same bytes at the same time.
struct FaultyStream {
    private let fault: Fault
    private var random: SeededRandom
    private var bytes: [UInt8] = []

    /// How many more bytes pass; nil without a limit.
    private var left: Int?

    init(_ fault: Fault?, seed: UInt64) {
        self.fault = fault ?? .reorders
        random = SeededRandom(seed: seed)
        if let fault, !fault.isHarmless { left = Int.random(in: 10_000..<200_000, using: &random) }
    }

    mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

    /// Whether nothing more will pass.
    var isCut: Bool { left == 0 }

    var isEmpty: Bool { bytes.isEmpty }

    /// Milliseconds until the next piece.
    mutating func pause() -> Int64 {
        switch fault {
        case .delays: Int64.random(in: 0...5, using: &random)
        default: 0
        }
    }

    /// Milliseconds for which nothing is read; nil for going on.
    mutating func silence() -> Int64? {
        guard case .pauses = fault, Int.random(in: 0..<8, using: &random) == 0 else { return nil }
        return Int64.random(in: 1...20, using: &random)
    }

    /// What passes next.
    mutating func next() -> [UInt8] {
        switch fault {
        case .reorders: return reordered()
        case .pieces, .delays, .pauses, .drops, .truncations:
            // Many small ones, where headers are likely to be cut, and some that are large.
            let most = [1, 5, 100, 10_000, 300_000].randomElement(using: &random) ?? 1
            let count = min(Int.random(in: 1...most, using: &random), bytes.count, left ?? .max)
            defer {
                bytes.removeFirst(count)
                left? -= count
            }
            return Array(bytes.prefix(count))
        }
    }

    // MARK: Frames

    private mutating func reordered() -> [UInt8] {
        var frames: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let length = 4 + rest.dropFirst().prefix(3).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= length else { break }
            frames.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        for _ in 0..<3 {
            for index in frames.indices.dropLast()
            where Self.maySwap(frames[index], frames[index + 1]) && Bool.random(using: &random) {
                frames.swapAt(index, index + 1)
            }
        }
        bytes = Array(rest)
        return frames.flatMap(\.self)
    }

    /// Chunks and parts of different numbers have no order, but a chunk follows the message that announces it.
    private static func maySwap(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Bool {
        func kind(_ frame: ArraySlice<UInt8>) -> WireFrame.Kind? { frame.first.map(WireFrame.Kind.init) }
        guard let (a, b) = kind(first).flatMap({ a in kind(second).map { (a, $0) } }) else { return false }
        let movable: Set<WireFrame.Kind> = [.chunk, .lastChunk, .part, .lastPart]
        guard movable.contains(a), movable.contains(b), first.dropFirst(4).prefix(4) != second.dropFirst(4).prefix(4)
        else { return false }
        return !(a == .lastPart && (b == .chunk || b == .lastChunk))
    }
}
