import EdgeModel
import Foundation
import HTTPTypes
import ImageDataContract
import RPC

extension WantedPicture {
    static let width = QueryParameter.integer(
        "w", in: 1 ... .max, example: 640,
        "Return a variant of the next of these widths: \(PictureHints.variantWidthsText).")

    /// The picture that a request asks for: with `w`, a variant in a format that `Accept` names. A client with `Save-Data: on`
    /// gets the next smaller one.
    ///
    /// Only an explicit `image/webp` counts: clients without WebP send `image/*` and `*/*` too.
    init(id: UUID, _ query: Query, _ fields: HTTPFields) throws(RPCError) {
        let width = try Self.width.value(in: query)
        let isSaving = fields["Save-Data"]?.lowercased() == "on"
        self.init(
            id: id, width: isSaving ? width.map(Self.smaller) : width,
            acceptsWebP: (WeightedList(fields[.accept] ?? "")["image/webp"] ?? 0) > 0)
    }

    /// The width before the one that would be used.
    private static func smaller(than width: Int) -> Int {
        PictureHints.variantWidths.last { $0 < PictureHints.variantWidths.first { $0 >= width } ?? .max } ?? width
    }

    /// The request fields that select the picture, for `Vary`.
    static let fields = "Accept, Save-Data"
}
