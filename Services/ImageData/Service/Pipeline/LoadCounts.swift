import RPC
import Synchronization

/// Counts where loads found their bytes.
final class LoadCounts: Sendable {
    private let hot = Atomic(0)
    private let cold = Atomic(0)
    private let misses = Atomic(0)

    /// - Parameter source: nil when there were no bytes.
    func note(_ source: ImageLoader.Source?) {
        switch source {
        case .hot: hot.add(1, ordering: .relaxed)
        case .cold: cold.add(1, ordering: .relaxed)
        case .remote, nil: misses.add(1, ordering: .relaxed)
        }
    }

    var measures: Measures {
        Measures(counters: [
            "hot_cache_hits": hot.load(ordering: .relaxed), "cold_cache_hits": cold.load(ordering: .relaxed),
            "cache_misses": misses.load(ordering: .relaxed),
        ])
    }
}
