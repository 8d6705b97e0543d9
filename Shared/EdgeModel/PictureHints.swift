/// What viewers may know of a picture before its bytes: its size and a placeholder. Both follow from the bytes, so they are not
/// content: items that differ only in them are equal.
public struct PictureHints: Equatable, Hashable, Sendable {
    /// The allowed widths and heights in pixels.
    public static let sides = 1...50_000_000

    /// The widths of smaller variants of a picture, in pixels.
    public static let variantWidths = [320, 640, 960, 1_280]

    /// The widths of variants, for texts.
    public static let variantWidthsText = variantWidths.map(String.init).joined(separator: ", ")

    /// In pixels, of the picture as it is shown, with its orientation applied. Nil if `height` is nil.
    public let width: Int?
    public let height: Int?
    public let placeholder: Placeholder?

    /// Discards a size that is incomplete or not in `sides`.
    public init(width: Int? = nil, height: Int? = nil, placeholder: Placeholder? = nil) {
        if let width, let height, Self.sides.contains(width), Self.sides.contains(height) {
            (self.width, self.height) = (width, height)
        } else {
            (self.width, self.height) = (nil, nil)
        }
        self.placeholder = placeholder
    }

    public var isEmpty: Bool { width == nil && placeholder == nil }

    /// These hints, with missing ones from `other`.
    public func completed(by other: PictureHints) -> PictureHints {
        PictureHints(
            width: width ?? other.width, height: height ?? other.height, placeholder: placeholder ?? other.placeholder)
    }
}
