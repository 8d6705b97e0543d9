import Foundation

/// Copies the entries of a store into another one, which has the same entries in the same order afterwards. An interrupted copy is
/// continued where it was, and a later one copies what has changed: services may use the source meanwhile.
public struct StoreCopy<Entry: CopiedEntry> {
    private let source: any CopiedStore<Entry>
    private let target: any CopiedStore<Entry>

    public init(from source: any CopiedStore<Entry>, to target: any CopiedStore<Entry>) {
        (self.source, self.target) = (source, target)
    }

    /// - Returns: the proof that both stores have.
    /// - Throws: `StoreCopyRefusal`, or the error of a store.
    public func run() async throws -> StoreProof {
        for _ in 1...StoreCopyRefusal.maximumRounds {
            try await copy()
            let proof = try await Self.proof(of: target)
            if try await Self.proof(of: source) == proof { return proof }
        }
        throw StoreCopyRefusal.changing
    }

    private func copy() async throws {
        var (wanted, present) = (EntryReader(source), EntryReader(target))
        var gone: [Entry] = []
        // A copy has the first entries of its source, except those that were removed or changed since. What follows a changed entry
        // is copied again.
        while let entry = try await present.next() {
            if entry == (try await wanted.peek()) {
                _ = try await wanted.next()
                continue
            }
            guard try await source.hasHad(entry) else { throw StoreCopyRefusal.foreign }
            gone.append(entry)
            if gone.count == StoreCopyRefusal.entriesAtOnce {
                try await target.remove(gone)
                gone = []
            }
        }
        if !gone.isEmpty { try await target.remove(gone) }
        while case let rest = try await wanted.page(), !rest.isEmpty { try await target.add(rest) }
    }

    private static func proof(of store: any CopiedStore<Entry>) async throws -> StoreProof {
        var (reading, reader) = (StoreProof.Reading(), EntryReader(store))
        while let entry = try await reader.next() { reading.add(entry.bytes) }
        return reading.proof
    }
}

/// Why a store is not copied.
public enum StoreCopyRefusal: Error, Equatable, CustomStringConvertible {
    /// The target has what the source never had.
    case foreign
    case changing

    /// A change of a store is one message to its watchers, so it has a number of entries that every message takes.
    public static let entriesAtOnce = 100

    /// How often a copy is compared with its source, and continued.
    static let maximumRounds = 3

    public var description: String {
        switch self {
        case .foreign: "the target has entries that this store never had; copy into an empty one"
        case .changing:
            "the store was written to meanwhile, and what is missing in the copy is little; stop the deployment and copy again"
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
            let page = try await store.entries(after: place, limit: StoreCopyRefusal.entriesAtOnce)
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
