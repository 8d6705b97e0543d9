/// Waits for the first of several events, and cancels the waiting for the others.
/// - Returns: the index of the event.
@discardableResult
func first(of events: @Sendable () async -> Void...) async -> Int {
    await withTaskGroup(of: Int.self) { group in
        for (index, event) in events.enumerated() {
            group.addTask {
                await event()
                return index
            }
        }
        defer { group.cancelAll() }
        return await group.next() ?? 0
    }
}
