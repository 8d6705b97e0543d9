import Foundation

/// A place in the order of an image's comments: that of a comment which is there, or of one that has gone and still marks
/// where its readers stand.
public struct CommentPlace: Equatable, Sendable {
    public let id: UUID

    /// The number of the answer that had it no more; nil while it is there. Later answers have higher numbers.
    public let goneSince: Int64?

    public init(id: UUID, goneSince: Int64? = nil) {
        self.id = id
        self.goneSince = goneSince
    }
}

public enum CommentPlaces {
    /// The most places of one image's removed comments that are remembered.
    public static let maximumGone = 1_000

    /// The places after a new answer: its comments in its order, and behind each of them those that have gone from behind it.
    /// - Parameter limit: how many that have gone are remembered; of more, those that went first are forgotten.
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
