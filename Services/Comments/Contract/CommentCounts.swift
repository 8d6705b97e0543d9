import Foundation
import JSON
import RPC

/// The answer of `comments.counts`.
public struct CommentCounts: Sendable, Equatable {
    /// The counts by image id; images without comments are omitted.
    public let counts: [UUID: Int]

    public init(counts: [UUID: Int]) { self.counts = counts }

    public static let codec = Codec<CommentCounts>.object { object in
        let counts = object.required("counts", countsByID, \.counts, "Keyed by image id in upper case.")
        return { members throws(JSONError) in CommentCounts(counts: try members[counts]) }
    }

    private static let countsByID = Codec.dictionary(of: .integer(1 ... .max)).map(
        into: { byName throws(JSONError) in
            var counts: [UUID: Int] = [:]
            for (name, count) in byName {
                guard let id = UUID(hexadecimal: name) else { throw .mismatch(path: name, reason: "is not a UUID") }
                counts[id] = count
            }
            return counts
        },
        from: { counts in Dictionary(uniqueKeysWithValues: counts.map { ($0.key.uuidString, $0.value) }) })
}
