import RPC

/// Writes metrics as Prometheus reads them.
struct MetricsWriter {
    typealias Labels = [(name: String, value: String)]

    private let format: MetricsFormat
    private var text = ""
    private var families: Set<String> = []

    init(_ format: MetricsFormat) { self.format = format }

    /// The whole document.
    var document: String { format == .openMetrics ? text + "# EOF\n" : text }

    /// Writes numbers that rise and fall.
    mutating func gauge(_ name: String, _ help: String, _ samples: [(Labels, Int)]) {
        guard begin(name, "gauge", help, isNeeded: !samples.isEmpty) else { return }
        for (labels, value) in samples { sample(name, labels, "\(value)") }
    }

    /// Writes numbers that only rise.
    /// - Parameter name: without `_total`.
    mutating func counter(_ name: String, _ help: String, _ samples: [(Labels, Int)]) {
        guard begin(name, "counter", help, isNeeded: !samples.isEmpty) else { return }
        for (labels, value) in samples { sample(name + "_total", labels, "\(value)") }
    }

    /// Writes durations.
    /// - Parameter name: ends with `_seconds`.
    mutating func histogram(_ name: String, _ help: String, _ samples: [(Labels, LatencyHistogram)]) {
        guard begin(name, "histogram", help, isNeeded: !samples.isEmpty) else { return }
        for (labels, histogram) in samples {
            for bound in Self.bounds {
                let limit = [(name: "le", value: "\(Self.seconds(bound))")]
                sample(name + "_bucket", labels + limit, "\(histogram.count(within: bound))")
            }
            sample(name + "_bucket", labels + [(name: "le", value: "+Inf")], "\(histogram.count)")
            sample(name + "_sum", labels, "\(Self.seconds(histogram.sumMicroseconds))")
            sample(name + "_count", labels, "\(histogram.count)")
        }
    }

    /// In microseconds: from 64 µs to 17 s, each four times the one before. They never change, so that Prometheus can add up
    /// the histograms of different times and services.
    private static let bounds = stride(from: 6, through: 24, by: 2).map { 1 << $0 }

    private static func seconds(_ microseconds: Int) -> Double { Double(microseconds) / 1_000_000 }

    /// Writes the head of a family.
    /// - Returns: false for a family that exists or is not needed.
    private mutating func begin(_ name: String, _ kind: String, _ help: String, isNeeded: Bool) -> Bool {
        guard isNeeded, families.insert(name).inserted else { return false }
        let familyName = kind == "counter" && format == .text ? name + "_total" : name
        text += "# TYPE \(familyName) \(kind)\n"
        if format == .openMetrics, let unit = ["seconds", "bytes"].first(where: { name.hasSuffix("_\($0)") }) {
            text += "# UNIT \(familyName) \(unit)\n"
        }
        text += "# HELP \(familyName) \(help)\n"
        return true
    }

    private mutating func sample(_ name: String, _ labels: Labels, _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// The value of a label between quotation marks.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
    }
}
