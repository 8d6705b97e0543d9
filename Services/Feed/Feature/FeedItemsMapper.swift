import EdgeModel
import Foundation
import JSON

/// Maps an upstream's answer to items. One malformed item invalidates the page, because without this item the page
/// would have a gap. Text lengths and the number of tags are not limited here: the limits apply only to publishing.
/// Malformed optional members beside the texts are ignored: an item is complete without them.
public enum FeedItemsMapper {
    /// - Parameter page: the URL of the answer, against which relative image URLs are resolved.
    /// - Returns: items in the upstream's order. If an id is repeated within the page, the first item counts.
    public static func map(_ data: Data, statusCode: Int, page: String) throws(FeedRejection) -> [FeedImage] {
        var seen: Set<UUID> = []
        return try read(data, statusCode, as: items(page)).filter { seen.insert($0.id).inserted }
    }

    /// Maps an upstream's answer to one item.
    /// - Parameters:
    ///   - id: the requested item. Another item is rejected.
    ///   - page: the URL of the answer, against which a relative image URL is resolved.
    public static func mapItem(
        _ id: UUID, _ data: Data, statusCode: Int, page: String
    ) throws(FeedRejection) -> FeedImage {
        let item = try read(data, statusCode, as: item(page))
        guard item.id == id else { throw FeedRejection("it is another item: \(item.id.uuidString)") }
        return item
    }

    private static func read<Value>(
        _ data: Data, _ statusCode: Int, as codec: Codec<Value>
    ) throws(FeedRejection) -> Value {
        guard statusCode == acceptedStatus else { throw FeedRejection("the status is \(statusCode)") }
        guard !data.isEmpty else { throw FeedRejection("the body is empty") }
        do throws(JSONError) {
            return try RawJSON(checking: data).read(as: codec)
        } catch {
            throw FeedRejection(error)
        }
    }

    private static let acceptedStatus = 200

    private static func items(_ page: String) -> Codec<[FeedImage]> {
        .object { object in
            let items = object.required("items", .array(of: item(page))) { $0 }
            return { members throws(JSONError) in try members[items] }
        }
    }

    private static func item(_ page: String) -> Codec<FeedImage> {
        .object { object in
            let id = object.required("id", .uuid, \.id)
            let description = object.optional("description", .string, \.description)
            let location = object.optional("location", .string, \.location)
            let image = object.required("image", address(page), \.image)
            let tags = object.optional("tags", .any, { _ in nil })
            let publishedAt = object.optional("published_at", .any, { _ in nil })
            let width = object.optional("width", .any, { _ in nil })
            let height = object.optional("height", .any, { _ in nil })
            let placeholder = object.optional("placeholder", .any, { _ in nil })
            let alt = object.optional("alt", .any, { _ in nil })
            let credit = object.optional("credit", .any, { _ in nil })
            let license = object.optional("license", .any, { _ in nil })
            let source = object.optional("source", .any, { _ in nil })
            let sensitive = object.optional("sensitive", .any, { _ in nil })
            return { members throws(JSONError) in
                FeedImage(
                    id: try members[id], description: shown(try members[description]),
                    location: shown(try members[location]), image: try members[image],
                    tags: ItemTags.stored(valid(try members[tags], .array(of: .string)) ?? []),
                    publishedAt: valid(try members[publishedAt], .date),
                    hints: PictureHints(
                        width: valid(try members[width], .integer()), height: valid(try members[height], .integer()),
                        placeholder: valid(try members[placeholder], .string).flatMap(Placeholder.init(base64:))),
                    details: PictureDetails(
                        alt: shown(valid(try members[alt], .string)),
                        credit: shown(valid(try members[credit], .string)),
                        license: shown(valid(try members[license], .string)),
                        source: valid(try members[source], PictureDetails.foreignSource),
                        isSensitive: valid(try members[sensitive], .boolean) ?? false))
            }
        }
    }

    /// Nil for a value that the codec refuses.
    private static func valid<Value>(_ json: RawJSON?, _ codec: Codec<Value>) -> Value? {
        json.flatMap { try? $0.read(as: codec) }
    }

    private static let imageSchemes = ["http", "https", "urn"]

    private static func address(_ page: String) -> Codec<String> {
        Codec<String>.string.map(
            into: { reference throws(JSONError) in
                guard let address = WebAddress.resolve(reference, page: page, schemes: imageSchemes) else {
                    throw .refused("must be the URL of an image")
                }
                return address
            }, from: { $0 })
    }

    private static func shown(_ text: String?) -> String? {
        let text = FeedText.shown(text ?? "")
        return text.isEmpty ? nil : text
    }
}
