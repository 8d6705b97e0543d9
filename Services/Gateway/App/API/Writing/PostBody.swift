import Foundation
import HTTPTypes
import NIOCore
import RPC

/// The body of a post: JSON, or a form.
enum PostBody {
    case json(ByteBuffer)
    case form(Query)

    /// - Returns: nil for another media type.
    /// - Throws: `invalid_params` for a form that is not UTF-8.
    init?(_ request: EndpointRequest) throws(RPCError) {
        switch request.head.mediaType {
        case "application/json": self = .json(request.body)
        case "application/x-www-form-urlencoded":
            guard let text = String(validating: request.body.readableBytesView, as: UTF8.self) else {
                throw RPCError(.invalidParams, "the form must be UTF-8", begun: false)
            }
            self = .form(Query(text))
        default: return nil
        }
    }

    var isForm: Bool { if case .form = self { true } else { false } }

    /// A field as it was typed; empty when it is absent or invalid.
    func field(_ name: String) -> String {
        guard case .form(let fields) = self else { return "" }
        return fields.value(name) ?? ""
    }

    /// The token in a form, for readers whose browser cannot send the header.
    var givenToken: String? {
        let token = field("token").trimmingCharacters(in: .whitespacesAndNewlines)
        return token.isEmpty ? nil : token
    }

    func comment() throws(RPCError) -> NewComment {
        switch self {
        case .json(let bytes): try NewComment(json: bytes)
        case .form(let fields): try NewComment(form: fields)
        }
    }
}

extension HTTPRequest {
    /// The media type of the body in lower case, without parameters; empty when it is not given, and for a body in a content coding.
    var mediaType: String {
        let coding = headerFields[.contentEncoding] ?? ""
        guard ["", "identity"].contains(coding.lowercased()) else { return "" }
        let type = headerFields[.contentType] ?? ""
        return type.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The token of the header `Authorization: Bearer TOKEN`.
    var bearerToken: String? {
        let parts = (headerFields[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1].trimmingCharacters(in: .whitespaces)
    }

    /// Whether a browser sends the request for a page of another site. Other clients send neither field.
    func comesFromOtherSite(than publicURL: PublicURL) -> Bool {
        if let site = headerFields["Sec-Fetch-Site"], !["same-origin", "none"].contains(site) { return true }
        guard let origin = headerFields[.origin] else { return false }
        let own = [publicURL.origin] + ["http", "https"].map { "\($0)://\(authority ?? "")" }
        return !own.contains(origin.lowercased())
    }
}
