import Foundation
import ImageDataContract
import JSON
import RPC

/// Parameters of `gateway.image`: an item of the feed, or a URL.
public struct ImageRequest: Sendable, Equatable {
    public enum Subject: Sendable, Equatable {
        case item(UUID)
        case url(String)
    }

    public let subject: Subject

    /// The language of the title: a language tag like `pt-BR`, or the name of a POSIX locale.
    public let locale: String?

    public init(subject: Subject, locale: String? = nil) {
        self.subject = subject
        self.locale = locale
    }

    public static let codec = Codec<ImageRequest>.object { object in
        let id = object.optional("id", .uuid, \.subject.id, "An item of the feed; either id or url is required.")
        let url = object.optional("url", .uri(schemes: ["http", "https", "urn"]), \.subject.url)
        let locale = object.optional("locale", .string, \.locale)
        return { members throws(JSONError) in
            let locale = try members[locale]
            switch (try members[id], try members[url]) {
            case (let id?, nil): return ImageRequest(subject: .item(id), locale: locale)
            case (nil, let url?): return ImageRequest(subject: .url(url), locale: locale)
            default: throw .refused("must have either id or url")
            }
        }
    }
}

extension ImageRequest.Subject {
    fileprivate var id: UUID? {
        guard case .item(let id) = self else { return nil }
        return id
    }

    fileprivate var url: String? {
        guard case .url(let url) = self else { return nil }
        return url
    }
}

/// The answer of `gateway.image`: that of `image-data.load`, with the title added. The gateway forwards the bytes
/// without decoding them.
public struct ImageAnswer: Sendable, Equatable {
    public let title: String

    /// A payload for `LoadedImage.codec`.
    public let loaded: Payload

    public init(title: String, loaded: Payload) {
        self.title = title
        self.loaded = loaded
    }

    public static let codec = Codec.payload.map(
        describedAs: LoadedImage.codec.schema.adding(["description": .string("Like image-data.load, with a title.")]),
        into: { loaded throws(JSONError) in
            ImageAnswer(title: try loaded.read(as: Title.codec).title, loaded: loaded)
        },
        from: { answer in
            Payload(
                answer.loaded.json.adding(Title(title: answer.title), as: Title.codec),
                attachments: answer.loaded.attachments)
        })

    private struct Title: Sendable {
        let title: String

        static let codec = Codec<Title>.object { object in
            let title = object.required("title", .string, \.title)
            return { members throws(JSONError) in Title(title: try members[title]) }
        }
    }
}
