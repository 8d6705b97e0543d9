import Foundation
import JSON

/// The addresses of the page: what a reader opens, and what a browser loads for it.
enum PageRoute: Equatable {
    case feed
    case comments(UUID)
    case picture(UUID)
    case asset(String)

    /// - Returns: nil for an unknown path.
    init?(_ path: [String]) {
        switch path {
        case []: self = .feed
        // A service worker controls the paths below its own, so it must be at the root.
        case ["worker.js"], ["manifest.webmanifest"]: self = .asset(path[0])
        default:
            if path.count == 2, path[0] == "assets" {
                self = .asset(path[1])
                return
            }
            guard path.count >= 2, path[0] == "image", let id = UUID(hexadecimal: path[1]) else { return nil }
            switch path.dropFirst(2) {
            case []: self = .comments(id)
            case ["picture"]: self = .picture(id)
            default: return nil
            }
        }
    }
}
