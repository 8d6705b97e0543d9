/// The source of a page.
public enum Origin: String, CaseIterable, Sendable {
    /// The store of the authority.
    case store
    /// The upstream, for this call.
    case remote
    /// The edge's cache, because the upstream did not answer.
    case cache
}
