import Foundation

/// Bytes from anywhere to an image that may be kept. What they are is decided by themselves, never by a name or a
/// header.
public struct ImageDataMapper: Sendable {
    /// How large an image may be unless the operator says otherwise.
    public static let defaultMaximumBytes = 6_000_000

    public let maximumBytes: Int

    public init(maximumBytes: Int = defaultMaximumBytes) { self.maximumBytes = maximumBytes }

    /// - Parameter statusCode: of the answer that the bytes came with: 200 only.
    public func map(_ data: Data, statusCode: Int = 200) throws(ImageDataRejection) -> InspectedImage {
        guard statusCode == 200 else { throw .status(statusCode) }
        guard data.count <= maximumBytes else { throw .tooLarge(size: data.count, limit: maximumBytes) }
        do throws(ImageRejection) {
            return InspectedImage(data: data, info: try ImageInspector.inspect(data))
        } catch {
            throw .notAnImage(error)
        }
    }
}

/// Why bytes are not kept.
public enum ImageDataRejection: Error, Equatable, Sendable {
    case status(Int)
    case tooLarge(size: Int, limit: Int)
    case notAnImage(ImageRejection)
}
