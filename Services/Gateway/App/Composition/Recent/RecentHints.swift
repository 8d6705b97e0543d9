import EdgeModel
import NIOCore
import RPC
import Synchronization
import Timing

/// A short-lived cache of the sizes and placeholders of pictures, by the URLs of a page. After a failure the service is not asked
/// for a short time, so that a service that hangs does not delay every page.
final class RecentHints: Sendable {
    private let answers: RecentAnswers<[String], KnownHints>
    private let clock: any MonotonicClock
    private let pauseEnd = Mutex(NIODeadline.distantPast)

    /// The approximate size of a picture's hints, without its URL.
    static let bytesPerPicture = 128

    init(_ limits: HTTPLimits, _ clock: any MonotonicClock) {
        answers = RecentAnswers(
            time: HTTPLimits.recentHintsTime, bytes: limits.recentHintsBytes, joinTime: HTTPLimits.hintsTimeout,
            clock: clock)
        self.clock = clock
    }

    /// Runs the loads, until the task is cancelled.
    func run() async { await answers.run() }

    /// - Parameter load: asks the service. It is called unless the hints are cached or being loaded, or the service has failed a
    ///   short time ago.
    /// - Returns: the known hints by URL; none when the service fails.
    func hints(
        of urls: [String], _ load: @escaping @Sendable () async -> Result<[String: PictureHints], RPCError>
    ) async -> [String: PictureHints] {
        do throws(RPCError) {
            return try await answers.value(of: urls) {
                guard !self.isPaused else { return KnownHints(urls: urls, byURL: nil) }
                let loaded = await load()
                if case .failure(let error) = loaded, error.kind != .cancelled { self.pause() }
                return KnownHints(urls: urls, byURL: loaded.value)
            }.byURL ?? [:]
        } catch {
            // The caller was cancelled: `load` does not throw.
            return [:]
        }
    }

    /// Removes all cached hints, after a change.
    func forget() { answers.forget() }

    private var isPaused: Bool { clock.now < pauseEnd.withLock { $0 } }

    private func pause() {
        let end = clock.now + HTTPLimits.hintsPause
        pauseEnd.withLock { $0 = end }
    }
}

/// The answer of the service for the pictures of a page.
private struct KnownHints: SharedAnswer {
    let urls: [String]

    /// Nil after a failure, which is not cached.
    let byURL: [String: PictureHints]?

    var heldBytes: Int? { byURL.map { _ in urls.reduce(0) { $0 + $1.utf8.count + RecentHints.bytesPerPicture } } }

    var kept: KnownHints { self }
}
