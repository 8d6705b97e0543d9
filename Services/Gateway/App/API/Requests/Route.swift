import Foundation
import JSON
import RPC

/// The resources that there are.
enum Route: Equatable {
    case feed
    case comments(UUID)
    case imageData(UUID)
    case alive
    case ready

    /// - Returns: nil when there is nothing.
    init?(_ path: [String]) {
        switch path {
        case ["v1", "feed"]: self = .feed
        case ["healthz"]: self = .alive
        case ["readyz"]: self = .ready
        default:
            // What is no id is the id of nothing.
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
