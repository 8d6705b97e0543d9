import Foundation
import HTTPTypes
import ImageDataContract
import RPC

extension WantedPicture {
    static let width = QueryParameter.integer(
        "w", in: 1 ... .max, "Return a variant of the next of these widths: 320, 640, 960, 1280.")

    /// The picture that a request asks for: with `w`, a variant in a format that `Accept` names. A client with `Save-Data: on`
    /// gets the next smaller one.
    ///
    /// Only an explicit `image/webp` counts: clients without WebP send `image/*` and `*/*` too.
    init(id: UUID, _ query: Query, _ fields: HTTPFields) throws(RPCError) {
        let width = try Self.width.value(in: query)
        let isSaving = fields["Save-Data"]?.lowercased().trimming(" ") == "on"
        self.init(
            id: id, width: isSaving ? width.map(Self.smaller) : width,
            acceptsWebP: Accept.names("image/webp", in: fields[.accept] ?? ""))
    }

    /// The width before the one that would be used.
    private static func smaller(than width: Int) -> Int {
        LoadImage.widths.last { $0 < LoadImage.widths.first { $0 >= width } ?? .max } ?? width
    }

    /// The request fields that select the picture, for `Vary`.
    static let fields = "Accept, Save-Data"
}

/// Parses `Accept` (RFC 9110 §12.5.1).
enum Accept {
    /// Whether a media type is named with a weight above 0.
    static func names(_ type: String, in field: String) -> Bool {
        field.lowercased().split(separator: ",").contains { part in
            let parts = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return parts.first == type && weight > 0
        }
    }
}

extension String {
    fileprivate func trimming(_ character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}
