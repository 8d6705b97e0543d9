import RPC
import Timing
import Upstream

extension UpstreamMonitor {
    /// The pause before each probe of an absent upstream.
    public static let probePause = Duration.seconds(5)

    /// Probes the upstream while it is absent, so that its state is correct even without other requests. Runs until the task is
    /// cancelled.
    /// - Parameter probe: sends a small request. Any answer ends the absence.
    public func run(probe: () async throws -> Void) async {
        while !Task.isCancelled {
            // On cancellation the sleep throws, and the loop ends.
            try? await clock.sleep(for: Self.probePause)
            guard isAbsent, !Task.isCancelled else { continue }
            do {
                try await probe()
            } catch {
                // An unusable answer also ends the absence. Any other error belongs to the absence that is already logged.
                guard case .rejected = Failure(error) else { continue }
            }
            answered("a probe")
        }
    }
}

extension TracedUpstream {
    /// Requests a page of one item.
    public func probe(_ base: UpstreamBase) async throws(UpstreamError) {
        _ = try await get(UpstreamRequest(url: base.url.appending(path: "v1/feed").absoluteString + "?limit=1"))
    }
}
