import Foundation

/// Maps bytes to an image that may be stored. The bytes alone determine the format, never a name or a header.
public struct ImageDataMapper: Sendable {
    /// The default maximum size of an image in bytes.
    public static let defaultMaximumBytes = 6_000_000

    public let maximumBytes: Int

    public init(maximumBytes: Int = defaultMaximumBytes) { self.maximumBytes = maximumBytes }

    /// - Parameter statusCode: the status of the answer with the bytes; only 200 is accepted.
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

/// The reason why bytes are rejected.
public enum ImageDataRejection: Error, Equatable, Sendable {
    case status(Int)
    case tooLarge(size: Int, limit: Int)
    case notAnImage(ImageRejection)
}
