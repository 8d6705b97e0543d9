import Foundation

/// Bytes that were verified to be a complete image.
public struct InspectedImage: Equatable, Sendable {
    public let data: Data
    public let info: ImageInfo

    public var contentType: String { info.format.contentType }
}
