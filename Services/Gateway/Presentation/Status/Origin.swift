/// Where a page came from.
public enum Origin: String, CaseIterable, Sendable {
    /// The authority's own store.
    case store
    /// The upstream, which answered now.
    case remote
    /// What was kept of the upstream, which did not answer.
    case cache
}
