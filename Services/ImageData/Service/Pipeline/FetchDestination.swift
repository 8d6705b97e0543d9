import ImageData

/// The tiers into which a fetch stores what it brings. They are asked for at the moment of storing: callers that join add
/// tiers, and an eviction takes them all away.
struct FetchDestination: Sendable {
    /// Calls its argument with the tiers; no eviction begins before that returns.
    let withTiers: @Sendable (_ body: (ImageTiers) -> Void) -> Void

    var tiers: ImageTiers {
        var found: ImageTiers = []
        withTiers { found = $0 }
        return found
    }
}
