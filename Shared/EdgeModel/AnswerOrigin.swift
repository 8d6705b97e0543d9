/// The source of a service's answer.
public enum AnswerOrigin: String, CaseIterable, Sendable {
    /// The store of the authority.
    case store
    /// The upstream: for this call, or for an earlier page of the same list a few seconds ago.
    case remote
    /// The edge's cache, because the upstream did not answer.
    case cache
}

/// A problem that did not make a call fail.
public enum AnswerNotice: String, CaseIterable, Sendable {
    /// The answer could not be cached.
    case notKept = "not_kept"
}
