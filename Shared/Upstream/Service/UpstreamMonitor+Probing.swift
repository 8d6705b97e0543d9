import RPC

extension UpstreamMonitor {
    /// How long after a failure, and after each further one, the upstream is asked whether it is back.
    public static let probePause = Duration.seconds(5)

    /// Asks an upstream that has not answered whether it does again, so that its state is told even when nobody asks
    /// anything. Until the task is cancelled.
    /// - Parameter probe: asks for something small; any answer is one.
    public func run(pausing pause: Duration = probePause, probe: () async throws -> Void) async {
        while !Task.isCancelled {
            // Cancelled while it sleeps: the loop's condition sees it.
            try? await Task.sleep(for: pause)
            guard isAbsent, !Task.isCancelled else { continue }
            do {
                try await probe()
            } catch {
                // An answer that cannot be used ends the absence. Any other error is still the failure that was logged.
                guard case .rejected = Failure(error) else { continue }
            }
            answered("a sign of life")
        }
    }
}

extension TracedUpstream {
    /// Asks for the smallest page that there is.
    public func probe(_ base: UpstreamBase) async throws(UpstreamError) {
        _ = try await get(UpstreamRequest(url: base.url.appending(path: "v1/feed").absoluteString + "?limit=1"))
    }
}
