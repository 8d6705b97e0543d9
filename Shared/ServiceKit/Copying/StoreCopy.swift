import Foundation

/// Copies the entries of a store into another one, which has the same entries in the same order afterwards. An interrupted copy is
/// continued, and a later one copies what has changed: services may use the source meanwhile.
public struct StoreCopy<Entry: CopiedEntry> {
    private let source: any CopiedStore<Entry>
    private let target: any CopiedStore<Entry>

    public init(from source: any CopiedStore<Entry>, to target: any CopiedStore<Entry>) {
        (self.source, self.target) = (source, target)
    }

    /// - Returns: the proof, which is equal for both stores.
    /// - Throws: `StoreCopyRefusal`, or the error of a store.
    public func run() async throws -> StoreProof {
        for _ in 1...StoreCopyLimits.maximumRounds {
            try await copy()
            let proof = try await Self.proof(of: target)
            if try await Self.proof(of: source) == proof { return proof }
        }
        throw StoreCopyRefusal.changing
    }

    private func copy() async throws {
        var hasGone = false
        // Nothing changes before all entries of the target are known to come from the source.
        var missing = try await compare { entry in
            guard try await source.hasHad(entry) else { throw StoreCopyRefusal.foreign }
            hasGone = true
        }
        if hasGone {
            var gone: [Entry] = []
            missing = try await compare { entry in
                gone.append(entry)
                if gone.count == StoreCopyLimits.entriesAtOnce {
                    try await target.remove(gone)
                    gone = []
                }
            }
            if !gone.isEmpty { try await target.remove(gone) }
        }
        while case let entries = try await missing.page(), !entries.isEmpty { try await target.add(entries) }
    }

    /// Compares the target with the beginning of the source. They differ by what was removed or changed since an earlier copy; what
    /// follows a changed entry differs, too.
    /// - Parameter gone: receives each entry of the target that is not at its place in the source.
    /// - Returns: a reader of the entries of the source that the target lacks.
    private func compare(gone: (Entry) async throws -> Void) async throws -> EntryReader<Entry> {
        var (wanted, present) = (EntryReader(source), EntryReader(target))
        while let entry = try await present.next() {
            if entry == (try await wanted.peek()) {
                _ = try await wanted.next()
            } else {
                try await gone(entry)
            }
        }
        return wanted
    }

    private static func proof(of store: any CopiedStore<Entry>) async throws -> StoreProof {
        var (reading, reader) = (StoreProof.Reading(), EntryReader(store))
        while let entry = try await reader.next() { reading.add(entry.bytes) }
        return reading.proof
    }
}

public enum StoreCopyLimits {
    /// A change of a store is one message to its watchers, so it has a number of entries that every message takes.
    public static let entriesAtOnce = 100

    /// How often a copy is compared with its source, and continued.
    static let maximumRounds = 3
}

/// Why a store is not copied.
public enum StoreCopyRefusal: Error, Equatable, CustomStringConvertible {
    /// The target is the source.
    case same(StorePlace)

    /// The source has no file.
    case missing(path: String)

    /// The target has what the source never had.
    case foreign

    /// The store was written to during each of the rounds.
    case changing

    /// One of the stores cannot be opened.
    case unusable(String)

    /// A part of the source is damaged.
    case damaged(String)

    /// The target has other bytes at the URL of an image.
    case other(url: String)

    /// A code of `sysexits.h`.
    var exitCode: Int32 {
        switch self {
        case .same: EX_USAGE
        case .missing: EX_NOINPUT
        case .foreign, .other: EX_DATAERR
        case .changing: EX_TEMPFAIL
        case .unusable: EX_UNAVAILABLE
        case .damaged: EX_IOERR
        }
    }

    public var description: String {
        switch self {
        case .same(let place): "the store is in \(place) already"
        case .missing(let path): "there is no store \(path)"
        case .foreign: "the target has entries that this store never had; copy into an empty one"
        case .changing:
            "the store changed during the copy, which lacks the last changes; stop the deployment and copy again"
        case .unusable(let reason), .damaged(let reason): reason
        case .other(let url): "the target has other bytes at \(url); copy into an empty one"
        }
    }
}

/// Reads a store from its first entry on, page by page.
private struct EntryReader<Entry: CopiedEntry> {
    private let store: any CopiedStore<Entry>
    private var place = Int64.min
    private var read: ArraySlice<Entry> = []
    private var isOver = false

    init(_ store: any CopiedStore<Entry>) { self.store = store }

    mutating func peek() async throws -> Entry? {
        if read.isEmpty, !isOver {
            let page = try await store.entries(after: place, limit: StoreCopyLimits.entriesAtOnce)
            if let last = page.last { place = last.place } else { isOver = true }
            read = page.map(\.entry)[...]
        }
        return read.first
    }

    mutating func next() async throws -> Entry? {
        let entry = try await peek()
        if entry != nil { read.removeFirst() }
        return entry
    }

    /// The rest of a page; empty at the end.
    mutating func page() async throws -> [Entry] {
        _ = try await peek()
        defer { read = [] }
        return Array(read)
    }
}
