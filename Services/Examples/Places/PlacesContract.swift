import Foundation
import JSON
import RPC

/// The contract of the plugin, version 1.
enum PlacesContract {
    static let contract = Contract(name: "places", version: 1, methods: [coordinates.description])

    /// Has the form of an enriching method: it takes the ids of a page's images, and answers one member keyed by image id.
    static let coordinates = Method(
        "places.coordinates", "Return the coordinates of images whose location is known.",
        params: LocateImages.codec, answer: LocatedImages.codec, errors: [.dataLoss])
}

/// Parameters of `places.coordinates`: 1…100 ids.
struct LocateImages: Sendable {
    let imageIDs: [UUID]

    static let maximumImages = 100

    static let codec = Codec<LocateImages>.object { object in
        let imageIDs = object.required("image_ids", .array(of: .uuid, count: 1...maximumImages), \.imageIDs)
        return { members throws(JSONError) in LocateImages(imageIDs: try members[imageIDs]) }
    }
}

/// The answer of `places.coordinates`.
struct LocatedImages: Sendable {
    /// Keyed by image id; images with an unknown location are omitted.
    let coordinates: [String: Coordinates]

    static let codec = Codec<LocatedImages>.object { object in
        let coordinates = object.required(
            "coordinates", .dictionary(of: Coordinates.codec), \.coordinates, "Keyed by image id.")
        return { members throws(JSONError) in LocatedImages(coordinates: try members[coordinates]) }
    }
}

extension Coordinates {
    /// `text` is what pages and tables show.
    static let codec = Codec<Coordinates>.object { object in
        let latitude = object.required("latitude", .number(-90...90), \.latitude)
        let longitude = object.required("longitude", .number(-180...180), \.longitude)
        _ = object.required("text", .string, \.text)
        return { members throws(JSONError) in
            Coordinates(latitude: try members[latitude], longitude: try members[longitude])
        }
    }
}
