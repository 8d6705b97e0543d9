import Foundation
import JSON

/// A problem document of this API (RFC 9457 with the member `kind`). Proxies in front of an upstream answer with other bodies.
public enum UpstreamProblem {
    /// - Returns: the kind of the error; nil for any other body.
    public static func kind(of body: Data) -> String? { try? RawJSON(checking: body).read(as: codec) }

    private static let codec = Codec<String>.object { object in
        let kind = object.required("kind", .string) { $0 }
        return { members throws(JSONError) in try members[kind] }
    }
}
