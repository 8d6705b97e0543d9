/// The reason why bytes are not accepted as an image.
public enum ImageRejection: Error, Equatable, Sendable {
    case empty
    case notAnImage
    case truncated(ImageFormat)
    case malformed(ImageFormat, String)
    case tooManyPixels(count: Int, limit: Int)
    case tooManyPixelsOfFrames(count: Int, limit: Int)

    /// A text for users, to be appended to "refused:".
    public var reason: String {
        switch self {
        case .empty:
            "the image is empty"
        case .notAnImage:
            "the bytes are no JPEG, PNG, GIF, WebP or AVIF image"
        case .truncated(let format):
            "the bytes end before the \(format.name) does (truncated): copy or download it again, or save it anew with a picture editor"
        case .malformed(let format, let what):
            "the \(format.name) is malformed: \(what)"
        case .tooManyPixels(let count, let limit):
            "\(count) pixels are more than the \(limit) allowed"
        case .tooManyPixelsOfFrames(let count, let limit):
            "\(count) pixels over all frames are more than the \(limit) allowed"
        }
    }
}
