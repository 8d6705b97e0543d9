import Foundation
import JSON
import RPC

/// The resources of the API.
enum Route: Equatable {
    case feed
    case comments(UUID)
    case imageData(UUID)
    case alive
    case ready
    case page(PageRoute)

    /// - Returns: nil for an unknown path.
    init?(_ path: [String]) {
        switch path {
        case ["v1", "feed"]: self = .feed
        case ["healthz"]: self = .alive
        case ["readyz"]: self = .ready
        default:
            if let page = PageRoute(path) {
                self = .page(page)
                return
            }
            // A path with an invalid id is unknown.
            guard path.count == 4, path[0] == "v1", path[1] == "image", let id = UUID(hexadecimal: path[2]) else {
                return nil
            }
            switch path[3] {
            case "comments": self = .comments(id)
            case "data": self = .imageData(id)
            default: return nil
            }
        }
    }
}
