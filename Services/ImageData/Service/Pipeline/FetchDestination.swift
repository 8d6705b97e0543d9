import ImageData

/// The caches in which a fetch stores its result. They are determined when the result is stored: callers that join the
/// fetch add caches, and an eviction removes them all.
struct FetchDestination: Sendable {
    /// Calls `body` with the caches; no eviction begins before `body` returns.
    let withTiers: @Sendable (_ body: (ImageTiers) -> Void) -> Void

    var tiers: ImageTiers {
        var found: ImageTiers = []
        withTiers { found = $0 }
        return found
    }
}
