import ServiceKit

extension StoreMonitor {
    /// Notes that there is no store.
    func note(_ unusable: StoreUnusable) { noteAbsence("\(unusable)") }

    /// - Parameters:
    ///   - isReading: whether a read has failed.
    ///   - isProbe: whether no call has failed.
    func note(_ trouble: StoreTrouble, isReading: Bool, at path: String, isCache: Bool, isProbe: Bool = false) {
        guard let cause = trouble.cause(isReading: isReading) else { return }
        note(trouble.report(path, isCache: isCache), cause, count: isProbe ? 0 : 1)
    }
}
