/// The fault that a `FaultProxy` injects.
public enum Fault: Sendable, CaseIterable {
    /// Writes are split and joined at random positions.
    case pieces
    /// As `pieces`, with random delays.
    case delays
    /// Reading stops for a while, again and again, so that bytes stay in the kernel's buffers.
    case pauses
    /// Chunks and parts of different numbers are reordered, if a sender could have sent them in that order.
    case reorders
    /// Connections close after a random number of bytes.
    case drops
    /// One direction ends after a random number of bytes, as after a shutdown by its sender. A little later the connection
    /// closes.
    case truncations

    /// Whether all bytes are delivered, so that every call must succeed.
    public var isHarmless: Bool {
        switch self {
        case .pieces, .delays, .pauses, .reorders: true
        case .drops, .truncations: false
        }
    }
}

/// One direction of a connection through a `FaultProxy`: bytes in, pieces out. A value without I/O; the same seed and the same
/// bytes give the same pieces.
struct FaultyStream {
    private let fault: Fault
    private var random: SeededRandom
    private var bytes: [UInt8] = []

    /// The number of bytes until the cut; nil without a limit.
    private var left: Int?

    init(_ fault: Fault?, seed: UInt64) {
        self.fault = fault ?? .reorders
        random = SeededRandom(seed: seed)
        if let fault, !fault.isHarmless { left = Int.random(in: 10_000..<200_000, using: &random) }
    }

    mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

    /// Whether the cut is reached.
    var isCut: Bool { left == 0 }

    var isEmpty: Bool { bytes.isEmpty }

    /// The delay before the next piece, in milliseconds.
    mutating func pause() -> Int64 {
        switch fault {
        case .delays: Int64.random(in: 0...5, using: &random)
        default: 0
        }
    }

    /// The time for which nothing is read, in milliseconds; nil to continue reading.
    mutating func silence() -> Int64? {
        guard case .pauses = fault, Int.random(in: 0..<8, using: &random) == 0 else { return nil }
        return Int64.random(in: 1...20, using: &random)
    }

    /// The next bytes to deliver.
    mutating func next() -> [UInt8] {
        switch fault {
        case .reorders: return reordered()
        case .pieces, .delays, .pauses, .drops, .truncations:
            // Many small pieces, which split headers, and some large ones.
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

    /// Whether two frames may be swapped: chunks and parts of different numbers may, but a chunk must follow the message that
    /// announces it.
    private static func maySwap(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> Bool {
        func kind(_ frame: ArraySlice<UInt8>) -> WireFrame.Kind? { frame.first.map(WireFrame.Kind.init) }
        guard let (a, b) = kind(first).flatMap({ a in kind(second).map { (a, $0) } }) else { return false }
        let movable: Set<WireFrame.Kind> = [.chunk, .lastChunk, .part, .lastPart]
        guard movable.contains(a), movable.contains(b), first.dropFirst(4).prefix(4) != second.dropFirst(4).prefix(4)
        else { return false }
        return !(a == .lastPart && (b == .chunk || b == .lastChunk))
    }
}
