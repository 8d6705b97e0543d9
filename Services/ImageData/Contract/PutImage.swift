import Foundation
import JSON
import RPC

/// Parameters of `image-data.put`.
public struct PutImage: Sendable, Equatable {
    public let data: Bytes

    /// The URL of the image; default: `urn:sha256:HEX`, by its content.
    public let url: String?

    public init(data: Bytes, url: String? = nil) {
        self.data = data
        self.url = url
    }

    public static let codec = Codec<PutImage>.object { object in
        let data = object.required("data", Bytes.codec, \.data)
        let url = object.optional("url", ImageDataContract.url, \.url, "Default: urn:sha256:HEX.")
        return { members throws(JSONError) in PutImage(data: try members[data], url: try members[url]) }
    }
}

/// The answer of `image-data.put`.
public struct PutAnswer: Sendable, Equatable {
    public let url: String

    /// In lower-case hexadecimal.
    public let sha256: String

    public init(url: String, sha256: String) {
        self.url = url
        self.sha256 = sha256
    }

    public static let codec = Codec<PutAnswer>.object { object in
        let url = object.required("url", ImageDataContract.url, \.url)
        let sha256 = object.required("sha256", .string, \.sha256, "In lower-case hexadecimal.")
        return { members throws(JSONError) in PutAnswer(url: try members[url], sha256: try members[sha256]) }
    }
}
