import Foundation
import RPC

/// The method of the plugin.
struct PlacesHandlers: Sendable {
    /// The location of an item of the feed; nil for an item without one.
    let location: @Sendable (UUID, CallOptions) async throws(RPCError) -> String?

    var table: MethodTable {
        var table = MethodTable(PlacesContract.contract)
        table.handle(PlacesContract.coordinates) { images, context in
            try await coordinates(of: images.imageIDs, CallOptions(onBehalfOf: context))
        }
        return table
    }

    /// Reads all items concurrently.
    private func coordinates(of ids: [UUID], _ options: CallOptions) async throws -> LocatedImages {
        try await withThrowingTaskGroup(of: (UUID, Coordinates?).self) { group in
            for id in ids { group.addTask { (id, try await coordinates(of: id, options)) } }
            return LocatedImages(
                coordinates: try await group.reduce(into: [:]) { located, image in
                    located[image.0.uuidString] = image.1
                })
        }
    }

    private func coordinates(of id: UUID, _ options: CallOptions) async throws(RPCError) -> Coordinates? {
        do throws(RPCError) {
            return try await location(id, options).flatMap(Gazetteer.coordinates)
        } catch {
            // The item was removed after the page was loaded.
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }
}
