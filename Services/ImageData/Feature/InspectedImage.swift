import Foundation

/// Bytes that are known to be a complete image.
public struct InspectedImage: Equatable, Sendable {
    public let data: Data
    public let info: ImageInfo

    public var contentType: String { info.format.contentType }
}
