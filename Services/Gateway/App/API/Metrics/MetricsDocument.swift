import RPC

/// The numbers of a deployment at one moment.
struct MetricsDocument: Sendable {
    /// What a service tells.
    struct Service: Sendable {
        let name: String

        /// Whether it answers.
        let isUp: Bool

        /// Nil for a service without statistics.
        let statistics: Statistics?
    }

    let version: String
    let services: [Service]
    let health: [(name: String, status: Health.Status)]
    let http: HTTPMetrics.Counts

    /// The size of HTTP answers that are being generated or sent.
    let queuedBytes: Int

    func text(_ format: MetricsFormat) -> String {
        var writer = MetricsWriter(format)
        writer.gauge("image_feed_build_info", "The version of the gateway.", [([("version", version)], 1)])
        writer.gauge(
            "image_feed_up", "Whether the service answers.", services.map { ([("service", $0.name)], $0.isUp ? 1 : 0) })
        writer.gauge(
            "image_feed_healthy", "Whether the service reports that all its parts work.",
            health.map { ([("service", $0.name)], $0.status == .serving ? 1 : 0) })
        writer.gauge(
            "image_feed_draining", "Whether the service finishes the calls under way and stops.",
            health.filter { $0.name != "gateway" }
                .map { ([("service", $0.name)], $0.status == .draining ? 1 : 0) })
        writeHTTP(to: &writer)
        let answered = services.compactMap { service in service.statistics.map { (service.name, $0) } }
        writeCalls(answered, to: &writer)
        writeProcesses(answered, to: &writer)
        writeMeasures(answered, to: &writer)
        return writer.document
    }

    private func writeHTTP(to writer: inout MetricsWriter) {
        let endpoints = http.endpoints.sorted { ($0.key.route, $0.key.method) < ($1.key.route, $1.key.method) }
            .map { endpoint, answers in
                (labels: [("route", endpoint.route), ("method", endpoint.method)] as MetricsWriter.Labels, answers)
            }
        writer.counter(
            "image_feed_http_requests",
            "HTTP requests by path template, method and status; none stands for requests that were given up.",
            endpoints.flatMap { labels, answers in
                answers.byStatus.sorted { $0.key < $1.key }.map { (labels + [("status", $0.key)], $0.value) }
            })
        writer.counter(
            "image_feed_http_response_body_bytes", "Bytes of the bodies of HTTP answers.",
            endpoints.map { ($0.labels, $0.1.bytes) })
        writer.histogram(
            "image_feed_http_first_byte_seconds", "From reading an HTTP request to the first byte of its answer.",
            endpoints.map { ($0.labels, $0.1.timeToFirstByte) })
        writer.histogram(
            "image_feed_http_request_seconds",
            "From reading an HTTP request to the end of its answer, without streams of events.",
            endpoints.map { ($0.labels, $0.1.time) })
        writer.gauge("image_feed_http_connections", "Open HTTP connections.", [([], http.connections)])
        writer.gauge(
            "image_feed_http_requests_under_way", "HTTP requests without a complete answer.", [([], http.underWay)])
        writer.gauge(
            "image_feed_http_queued_bytes", "Bytes of HTTP answers that are generated or sent.", [([], queuedBytes)])
    }

    private func writeCalls(_ services: [(String, Statistics)], to writer: inout MetricsWriter) {
        let methods = services.flatMap { service, statistics in
            statistics.methods.sorted { $0.key < $1.key }.map { name, method in
                (labels: [("service", service), ("method", name)] as MetricsWriter.Labels, method)
            }
        }
        writer.counter(
            "image_feed_calls", "Calls by service and method; NAME.* stands for calls that are forwarded to NAME.",
            methods.map { ($0.labels, $0.1.sinceStart.calls) })
        writer.counter(
            "image_feed_call_errors", "Calls that ended with an error, by its kind.",
            methods.flatMap { labels, method in
                method.sinceStart.errors.sorted { $0.key < $1.key }.map { (labels + [("kind", $0.key)], $0.value) }
            })
        writer.gauge(
            "image_feed_calls_under_way", "Calls that have begun and are not answered.",
            methods.compactMap { labels, method in method.underWay.map { (labels, $0) } })
        writer.histogram(
            "image_feed_call_seconds", "From reading a call to its answer, without streams and refused calls.",
            methods.map { ($0.labels, $0.1.sinceStart.latency) })
    }

    private func writeProcesses(_ services: [(String, Statistics)], to writer: inout MetricsWriter) {
        func gauge(_ name: String, _ help: String, _ number: (ProcessStatistics) -> Int?) {
            let samples = services.compactMap { service, statistics in
                number(statistics.process).map { ([("service", service)] as MetricsWriter.Labels, $0) }
            }
            writer.gauge("image_feed_\(name)", help, samples)
        }
        gauge("connections", "Connections to the service's socket.") { $0.connections }
        gauge("handlers", "Running handlers, including those of calls that are already answered.") { $0.handlers }
        gauge("queued_bytes", "Bytes of answers that peers have not read.") { $0.queuedBytes }
        gauge("resident_memory_bytes", "Resident memory of the process.") { $0.memoryBytes }
        gauge("uptime_seconds", "Time since the process started.") { $0.uptime }
    }

    /// The names come from the services.
    private func writeMeasures(_ services: [(String, Statistics)], to writer: inout MetricsWriter) {
        func families(
            _ numbers: (Measures) -> [String: Int]
        ) -> [(name: String, samples: [(MetricsWriter.Labels, Int)])] {
            let all = services.flatMap { service, statistics in
                numbers(statistics.measures).filter { Self.isName($0.key) }.map { ($0.key, service, $0.value) }
            }
            return Dictionary(grouping: all) { $0.0 }.sorted { $0.key < $1.key }
                .map { name, numbers in (name, numbers.map { ([("service", $0.1)], $0.2) }) }
        }
        for (name, samples) in families(\.gauges) {
            writer.gauge("image_feed_service_\(name)", "Reported by the service.", samples)
        }
        for (name, samples) in families(\.counters) {
            writer.counter("image_feed_service_\(name)", "Reported by the service.", samples)
        }
    }

    /// Whether a service may name a number so.
    private static func isName(_ name: String) -> Bool { name.wholeMatch(of: /[a-z][a-z0-9_]{0,63}/) != nil }
}
