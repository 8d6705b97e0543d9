import Foundation

/// A place in the order of an image's comments: that of a present comment, or of a removed one, which is still a valid
/// cursor.
public struct CommentPlace: Equatable, Sendable {
    public let id: UUID

    /// The number of the first answer without the comment; nil while the comment is present. Later answers have higher
    /// numbers.
    public let goneSince: Int64?

    public init(id: UUID, goneSince: Int64? = nil) {
        self.id = id
        self.goneSince = goneSince
    }
}

public enum CommentPlaces {
    /// The maximum number of removed comments per image whose places are stored.
    public static let maximumGone = 1_000

    /// The places after a new answer: its comments in its order, each followed by the removed comments that were after
    /// it.
    /// - Parameter limit: the maximum number of removed comments. Above it, those that were removed first are
    /// discarded.
    public static func replacing(
        _ places: [CommentPlace], by ids: [UUID], answer: Int64, limit: Int = maximumGone
    ) -> [CommentPlace] {
        let present = Set(ids)
        var gone: [CommentPlace] = []
        var goneBehind: [UUID?: [CommentPlace]] = [:]
        var last: UUID?
        for place in places {
            if present.contains(place.id) {
                last = place.id
            } else {
                let place = CommentPlace(id: place.id, goneSince: place.goneSince ?? answer)
                gone.append(place)
                goneBehind[last, default: []].append(place)
            }
        }
        let remembered = remembered(gone, limit)
        let current = [nil] + ids.map(Optional.some)
        return current.flatMap { id in
            (id.map { [CommentPlace(id: $0)] } ?? [])
                + (goneBehind[id] ?? []).filter { remembered.contains($0.id) }
        }
    }

    private static func remembered(_ gone: [CommentPlace], _ limit: Int) -> Set<UUID> {
        let latest = gone.sorted { ($0.goneSince ?? 0) > ($1.goneSince ?? 0) }
        return Set(latest.prefix(limit).map(\.id))
    }
}
