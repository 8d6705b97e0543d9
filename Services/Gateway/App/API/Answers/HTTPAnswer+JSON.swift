import HTTPTypes
import JSON
import NIOCore
import RPC

extension HTTPAnswer {
    /// An answer with a JSON document that clients must revalidate for each use.
    static func document(_ json: RawJSON, for request: HTTPRequest) -> HTTPAnswer {
        let document = JSONDocument(ByteBuffer(bytes: json.bytes))
        let representation = document.representation(for: request)
        let needsGzip = representation.isCompressed && !representation.isKnown
        return HTTPAnswer(document, representation, needsGzip ? Gzip.compress(document.text) : nil, for: request)
    }

    /// - Parameter compressed: the compressed text, if the representation is compressed and not known to the client;
    ///   nil when the compression failed.
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
