import FeedContract
import Foundation
import JSON
import Presentation
import RPC

/// What the plugins add to the items of a page, and which of them failed.
struct FeedExtensions: Sendable {
    /// The result of one enrichment.
    struct Part: Sendable {
        /// The name of the plugin.
        let service: String

        /// The name of the extension.
        let name: String

        /// How readers see the values.
        var style = ExtensionStyle()

        /// The values by item.
        let result: Result<[UUID: RawJSON], RPCError>
    }

    let parts: [Part]

    private let styles: [String: ExtensionStyle]

    init(parts: [Part] = []) {
        self.parts = parts
        styles = Dictionary(parts.map { ($0.name, $0.style) }, uniquingKeysWith: { first, _ in first })
    }

    /// An item with its values.
    func enriched(_ item: FeedItem) -> EnrichedItem {
        EnrichedItem(item: item, extensions: values(of: item.id), styles: styles)
    }

    /// The values of an item by the names of the extensions.
    func values(of id: UUID) -> [String: RawJSON] {
        var values: [String: RawJSON] = [:]
        for part in parts { values[part.name] = part.result.value?[id] }
        return values
    }

    /// The plugins that failed, each once.
    var problems: [(service: String, kind: ErrorKind)] {
        parts.reduce(into: []) { problems, part in
            guard let error = part.result.error, !problems.contains(where: { $0.service == part.service }) else {
                return
            }
            problems.append((part.service, error.kind))
        }
    }

    /// The number of an item's comments; nil when it is not known.
    /// - Parameter isComplete: whether an image without a number has no comments. An authority omits images without comments. An
    ///   edge also omits those whose comments it has not fetched.
    func comments(of id: UUID, isComplete: Bool) -> Int? {
        guard let counts = parts.first(where: { $0.name == Enrichment.comments })?.result.value else { return nil }
        guard let count = counts[id] else { return isComplete ? 0 : nil }
        // Any other value is not a number of comments.
        return try? count.read(as: .integer(0 ... .max))
    }
}
