import EdgeModel
import Foundation
import JSON
import RPC

/// Parameters of `image-data.put`.
public struct PutImage: Sendable, Equatable {
    public let data: Bytes

    /// The URL of the image; default: `urn:sha256:HEX`, by its content.
    public let url: String?

    /// True: answer without a placeholder, unless it is known. It is made when somebody asks for the facts of the image. Making
    /// it takes longer than storing the image.
    public let defersPlaceholder: Bool

    /// True: check the bytes, and store nothing. The answer has no placeholder.
    public let isTrial: Bool

    public init(data: Bytes, url: String? = nil, defersPlaceholder: Bool = false, isTrial: Bool = false) {
        self.data = data
        self.url = url
        self.defersPlaceholder = defersPlaceholder
        self.isTrial = isTrial
    }

    public static let codec = Codec<PutImage>.object { object in
        let data = object.required("data", Bytes.codec, \.data)
        let url = object.optional("url", ImageDataContract.url, \.url, "Default: urn:sha256:HEX.")
        let defersPlaceholder = object.optional(
            "defers_placeholder", .boolean, { $0.defersPlaceholder ? true : nil },
            "Do not wait for the placeholder. For imports; default: false.")
        let isTrial = object.optional(
            "dry_run", .boolean, { $0.isTrial ? true : nil }, "Check the bytes, and store nothing. Default: false.")
        return { members throws(JSONError) in
            PutImage(
                data: try members[data], url: try members[url],
                defersPlaceholder: try members[defersPlaceholder] ?? false, isTrial: try members[isTrial] ?? false)
        }
    }
}

/// The answer of `image-data.put`.
public struct PutAnswer: Sendable, Equatable {
    public let url: String

    /// In lower-case hexadecimal.
    public let sha256: String

    /// The size of the picture, and a placeholder if it was made in time.
    public let hints: PictureHints

    public init(url: String, sha256: String, hints: PictureHints = PictureHints()) {
        self.url = url
        self.sha256 = sha256
        self.hints = hints
    }

    public static let codec = Codec<PutAnswer>.object { object in
        let url = object.required("url", ImageDataContract.url, \.url)
        let sha256 = object.required("sha256", .string, \.sha256, "In lower-case hexadecimal.")
        let hints = PictureHints.Members(in: &object) { $0.hints }
        return { members throws(JSONError) in
            PutAnswer(url: try members[url], sha256: try members[sha256], hints: try hints.read(members))
        }
    }
}
