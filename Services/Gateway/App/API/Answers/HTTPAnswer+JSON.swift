import HTTPTypes
import JSON
import NIOCore
import RPC

extension HTTPAnswer {
    /// An answer with a JSON document that clients must revalidate for each use.
    static func document(_ json: RawJSON, for request: HTTPRequest) -> HTTPAnswer {
        document(ByteBuffer(bytes: json.bytes), as: "application/json", for: request)
    }

    /// The same for a document of another type.
    static func document(_ text: ByteBuffer, as contentType: String, for request: HTTPRequest) -> HTTPAnswer {
        let document = JSONDocument(text)
        let representation = document.representation(for: request)
        let needsGzip = representation.isCompressed && !representation.isKnown
        var answer = HTTPAnswer(
            document, representation, needsGzip ? Gzip.compress(document.text) : nil, for: request)
        if answer.status == .ok { answer.fields[.contentType] = contentType }
        return answer
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
