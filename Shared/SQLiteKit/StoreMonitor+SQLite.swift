import ServiceKit

extension StoreMonitor {
    /// Notes that there is no store.
    func note(_ unusable: StoreUnusable) { noteAbsence("\(unusable)") }

    /// - Parameter isProbe: whether no call has failed.
    func note(_ trouble: StoreTrouble, at path: String, isCache: Bool, isProbe: Bool = false) {
        // A lock held by another process is temporary, not a state of the store.
        if case .busy = trouble { return }
        note(trouble.report(path, isCache: isCache), isDamage: trouble.isLasting, count: isProbe ? 0 : 1)
    }
}
