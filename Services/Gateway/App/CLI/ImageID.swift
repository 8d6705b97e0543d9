import FeedContract
import Foundation
import RPC

/// The id of an image on the command line, or the beginning of one.
enum ImageID: Sendable {
    case whole(UUID)
    case prefix(IDPrefix)

    init?(_ text: String) {
        if let id = UUID(hexadecimal: text) {
            self = .whole(id)
        } else if let prefix = IDPrefix(text) {
            self = .prefix(prefix)
        } else {
            return nil
        }
    }

    /// Reads an id, in upper or lower case.
    @Sendable static func argument(_ text: String) throws -> ImageID {
        guard let id = ImageID(text) else { throw Malformed() }
        return id
    }

    private struct Malformed: Error, CustomStringConvertible {
        let description =
            "it must be a UUID like 7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E, or its first 4 characters or more"
    }

    /// The id, which the feed knows if only its beginning was typed.
    /// - Throws: `not_found` when no id begins so, `invalid_params` when several do.
    func resolved(_ session: Session) async throws(RPCError) -> UUID {
        let prefix: IDPrefix
        switch self {
        case .whole(let id): return id
        case .prefix(let typed): prefix = typed
        }
        let found = try await session.call(FeedContract.find, FindItems(prefix: prefix)).items
        guard let first = found.first else {
            throw RPCError(.notFound, "no image of the feed has an id that begins with \(prefix.digits)", begun: false)
        }
        guard found.count == 1 else {
            let ids = found.map { item in
                let title = (item.description ?? item.location)?.split(whereSeparator: \.isNewline).first
                return item.id.uuidString + (title.map { " \($0.prefix(40))" } ?? "")
            }
            throw RPCError(
                .invalidParams,
                "several ids begin with \(prefix.digits); type more of one: \(ids.joined(separator: ", "))",
                begun: false)
        }
        return first.id
    }
}
