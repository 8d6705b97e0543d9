/// Who may read `/metrics`.
enum MetricsAccess: String, Sendable, CaseIterable {
    case all

    /// Clients on this machine that no proxy speaks for.
    case local
    case off

    func allows(_ caller: HTTPCaller) -> Bool {
        switch self {
        case .all: true
        case .local: caller == .local
        case .off: false
        }
    }
}
