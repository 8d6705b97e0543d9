import Crypto
import Foundation
import HTTPTypes
import NIOCore

/// The files that pages load: style, script, icons.
///
/// The URL of an asset has the hash of its content, so browsers never ask again for one that they have.
struct Asset: Sendable {
    /// `/assets/style-0123456789abcdef.css`.
    let path: String
    let contentType: String
    let document: JSONDocument

    /// Compressed once, with the highest level; nil for a picture, which compression does not make smaller.
    private let compressed: ByteBuffer?

    init(_ name: String, _ fileExtension: String, _ data: Data) {
        document = JSONDocument(ByteBuffer(bytes: data))
        path = "/assets/\(name)-\(document.hash.prefix(16)).\(fileExtension)"
        contentType = Self.types[fileExtension] ?? "application/octet-stream"
        compressed =
            ["image/png", "image/webp"].contains(contentType)
            ? nil : Gzip.compress(document.text, level: Gzip.bestLevel)
    }

    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "png": "image/png", "webp": "image/webp",
    ]

    /// All assets, by the names of their files: those of the folder `Assets`, and the script of the pages.
    static let all: [String: Asset] = {
        let files = WebFiles.all("Assets").filter { $0.pathExtension != "mustache" }
            .map { file in
                let name = file.deletingPathExtension().lastPathComponent
                return (file.lastPathComponent, Asset(name, file.pathExtension, WebFiles.data(file)))
            }
        let script = Asset("page", "js", Data(ScriptBundle(entry: "page.js").text.utf8))
        return Dictionary(uniqueKeysWithValues: files + [("page.js", script)])
    }()

    private static let byPath = Dictionary(uniqueKeysWithValues: all.values.map { ($0.path, $0) })

    /// The path of an asset.
    static func path(_ name: String) -> String { all[name]?.path ?? "/assets/\(name)" }

    /// The answer for `/assets/NAME`; nil for an unknown name.
    ///
    /// A name with a hash never changes its content. A name without one must be revalidated; the service worker has a fixed
    /// name.
    static func answer(_ name: String, for request: HTTPRequest) -> HTTPAnswer? {
        guard let asset = byPath["/assets/\(name)"] else {
            return all[name]?.answer(for: request, cacheControl: "no-cache")
        }
        return asset.answer(for: request)
    }

    func answer(
        for request: HTTPRequest, cacheControl: String = "public, max-age=31536000, immutable"
    ) -> HTTPAnswer {
        let representation =
            compressed == nil
            ? document.representation(isCompressed: false, for: request) : document.representation(for: request)
        var answer = HTTPAnswer(document, representation, compressed, for: request)
        if answer.status == .ok { answer.fields[.contentType] = contentType }
        answer.fields[.cacheControl] = cacheControl
        answer.fields[.xContentTypeOptions] = "nosniff"
        return answer
    }
}
