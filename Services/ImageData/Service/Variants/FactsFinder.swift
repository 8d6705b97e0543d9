import Foundation
import ImageData
import Logging
import Synchronization

/// Finds the facts of images in the background, one after the other.
final class FactsFinder: Sendable {
    /// The maximum number of waiting images; the oldest are dropped, and wanted again by a later call.
    static let longestQueue = 256

    private let (urls, queue) = AsyncStream.makeStream(
        of: String.self, bufferingPolicy: .bufferingNewest(longestQueue))

    /// The waiting URLs, so that none waits twice.
    private let waiting = Mutex<Set<String>>([])

    func find(_ url: String) {
        guard waiting.withLock({ $0.insert(url).inserted }) else { return }
        if case .dropped(let dropped) = queue.yield(url) { waiting.withLock { _ = $0.remove(dropped) } }
    }

    /// - Parameter find: finds and stores the facts of the image at a URL.
    func run(_ find: @Sendable (_ url: String) async throws -> Void) async {
        for await url in urls {
            waiting.withLock { _ = $0.remove(url) }
            // An image that cannot be read has no facts. The load of its bytes reports the reason.
            try? await find(url)
        }
    }
}
