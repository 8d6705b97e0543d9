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

    /// Compressed once, with the highest level.
    private let compressed: ByteBuffer?

    private init(_ file: URL) {
        let name = file.deletingPathExtension().lastPathComponent
        document = JSONDocument(ByteBuffer(bytes: WebFiles.data(file)))
        path = "/assets/\(name)-\(document.hash.prefix(16)).\(file.pathExtension)"
        contentType = Self.types[file.pathExtension] ?? "application/octet-stream"
        compressed = Gzip.compress(document.text, level: Gzip.bestLevel)
    }

    private static let types = [
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
        "webmanifest": "application/manifest+json",
    ]

    /// All assets, by the names of their files.
    static let all = Dictionary(
        uniqueKeysWithValues: WebFiles.all("Assets").filter { $0.pathExtension != "mustache" }
            .map { ($0.lastPathComponent, Asset($0)) })

    private static let byPath = Dictionary(uniqueKeysWithValues: all.values.map { ($0.path, $0) })

    /// The path of an asset.
    static func path(_ name: String) -> String { all[name]?.path ?? "/assets/\(name)" }

    /// The answer for `/assets/NAME`; nil for an unknown name.
    ///
    /// A name with a hash never changes its content. A name without one must be revalidated; the manifest and the service worker have
    /// fixed names.
    static func answer(_ name: String, for request: HTTPRequest) -> HTTPAnswer? {
        guard let asset = byPath["/assets/\(name)"] else {
            return all[name]?.answer(for: request, cacheControl: "no-cache")
        }
        return asset.answer(for: request, cacheControl: "public, max-age=31536000, immutable")
    }

    private func answer(for request: HTTPRequest, cacheControl: String) -> HTTPAnswer {
        let representation = document.representation(for: request)
        var answer = HTTPAnswer(document, representation, compressed, for: request)
        if answer.status == .ok { answer.fields[.contentType] = contentType }
        answer.fields[.cacheControl] = cacheControl
        answer.fields[.xContentTypeOptions] = "nosniff"
        return answer
    }
}
