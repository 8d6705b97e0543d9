import HTTPTypes
import JSON
import NIOCore
import RPC

extension HTTPAnswer {
    /// A document that its readers ask for again each time, and get again only when it has changed.
    static func document(_ json: RawJSON, for request: HTTPRequest) -> HTTPAnswer {
        let document = JSONDocument(ByteBuffer(bytes: json.bytes))
        let representation = document.representation(for: request)
        let needsGzip = representation.isCompressed && !representation.isKnown
        return HTTPAnswer(document, representation, needsGzip ? Gzip.compress(document.text) : nil, for: request)
    }

    /// - Parameter compressed: the text, where the representation is compressed and not known; nil when that failed.
    init(
        _ document: JSONDocument, _ representation: JSONDocument.Representation, _ compressed: ByteBuffer?,
        for request: HTTPRequest
    ) {
        var representation = representation
        if representation.isCompressed, !representation.isKnown, compressed == nil {
            representation = document.representation(isCompressed: false, for: request)
        }
        self.init(.ok)
        fields[.contentType] = "application/json"
        fields[.cacheControl] = "no-cache"
        fields[.vary] = "Accept-Encoding"
        fields[.eTag] = "\(representation.tag)"
        if representation.isKnown {
            self = notModified()
        } else if representation.isCompressed, let compressed {
            fields[.contentEncoding] = "gzip"
            body = compressed
        } else {
            body = document.text
        }
    }
}
