/// The format of `/metrics`.
enum MetricsFormat: Sendable, CaseIterable {
    /// OpenMetrics 1.0.
    case openMetrics

    /// The text format 0.0.4 of Prometheus, which is older.
    case text

    /// - Parameter accept: the field `Accept` of the request. Only clients that name OpenMetrics get it.
    init(accept: String?) {
        let weight = WeightedList(accept ?? "")["application/openmetrics-text"] ?? 0
        self = weight > 0 ? .openMetrics : .text
    }

    var contentType: String {
        switch self {
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        }
    }
}
