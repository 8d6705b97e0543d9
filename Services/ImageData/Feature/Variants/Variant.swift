import EdgeModel

/// Identifies a smaller picture that was made from an image.
public struct Variant: Hashable, Sendable {
    public let original: ContentHash

    /// In pixels: one of `PictureHints.variantWidths`.
    public let width: Int
    public let format: VariantFormat

    public init(of original: ContentHash, width: Int, format: VariantFormat) {
        self.original = original
        self.width = width
        self.format = format
    }

    /// The variant that may be served in place of an image.
    /// - Parameters:
    ///   - width: the wanted width; the next of `PictureHints.variantWidths` is used.
    ///   - acceptsWebP: otherwise the variant has a format that every client of the original can read.
    /// - Returns: nil when only the original is wide enough.
    public init?(of original: ContentHash, contentType: String, width: Int, acceptsWebP: Bool) {
        guard let next = PictureHints.variantWidths.first(where: { $0 >= width }),
            let format = VariantFormat(of: contentType, acceptsWebP: acceptsWebP)
        else { return nil }
        self.init(of: original, width: next, format: format)
    }

    /// Whether the variant is made. Animations have none: it would show only their first frame. An image that is not wider
    /// has none: it would be enlarged.
    public func isMade(from facts: PictureFacts) -> Bool { facts.frames == 1 && width < facts.width }
}

/// The formats of variants. WebP is small and quickly made.
public enum VariantFormat: String, Sendable, CaseIterable {
    case webp, jpeg, png

    public var contentType: String { "image/\(rawValue)" }

    fileprivate init?(of contentType: String, acceptsWebP: Bool) {
        switch ImageFormat.allCases.first(where: { $0.contentType == contentType }) {
        case .some where acceptsWebP, .webp: self = .webp
        case .jpeg, .avif: self = .jpeg
        case .png, .gif: self = .png
        case nil: return nil
        }
    }
}
