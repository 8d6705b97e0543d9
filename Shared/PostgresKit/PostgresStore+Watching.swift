import ServiceKit
import Timing

/// Watches a database in the background.
extension PostgresStore {
    static let longestProbePause = Duration.seconds(8)

    /// The pause before the listener connects again.
    static let listeningPause = Duration.seconds(1)

    /// Waits for changes, and tries a database that failed until it works again. Runs until the task is cancelled.
    /// - Parameter onChange: called after a service has written; also when nothing has changed. Nil for a store without changes.
    public func run(onChange: (@Sendable () -> Void)? = nil) async {
        async let recovering: Void = monitor.probe(by: clock, longestPause: Self.longestProbePause) {
            await tryUsing()
        }
        if let onChange { await listen(onChange) }
        await recovering
    }

    /// Connects, creates the schema if it is missing, reads, and writes without an effect.
    /// - Returns: whether both work.
    @discardableResult
    public func tryUsing() async -> Bool {
        let reads = await succeeds(.reading) { try await reading { try $0.run("SELECT 1") } }
        let writes = await succeeds(.writing) {
            try await writer.run(nil) { try $0.transaction(PostgresChanges.touch) }
        }
        return reads && writes
    }

    private func succeeds(_ use: StoreMonitor.Use, _ body: () async throws -> Void) async -> Bool {
        do {
            try await body()
            monitor.noteSuccess(of: use)
            return true
        } catch {
            noteProbe(error, use)
            return false
        }
    }

    private func noteProbe(_ error: any Error, _ use: StoreMonitor.Use) {
        if let trouble = PostgresTrouble(error) {
            note(trouble, use, isProbe: true)
        } else if !(error is CancellationError) {
            monitor.report("\(error)")
        }
    }

    private func listen(_ onChange: @escaping @Sendable () -> Void) async {
        while !Task.isCancelled {
            let use = InterruptibleUse()
            await withTaskCancellationHandler {
                do {
                    try await listener.run(use) { [schema, monitor] db throws -> Void in
                        try db.run("LISTEN \(schema.name)")
                        monitor.noteSuccess(of: .listening)
                        while true {
                            // The first time for what was missed.
                            onChange()
                            try db.waitForNotification()
                        }
                    }
                } catch {
                    noteProbe(error, .listening)
                }
            } onCancel: {
                use.cancel()
            }
            // If the task is cancelled during the pause, the loop's condition ends it.
            try? await clock.sleep(for: Self.listeningPause)
        }
    }
}
