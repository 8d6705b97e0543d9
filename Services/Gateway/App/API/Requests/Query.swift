import Foundation
import JSON
import RPC

/// The parameters of a query, or the fields of a form (`application/x-www-form-urlencoded`). Unknown ones are ignored; known ones are
/// validated strictly.
struct Query {
    private let pairs: [(name: String, value: String?)]

    init(_ text: String) {
        pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: Self.name(of: pair), value: parts.count > 1 ? Self.decoded(parts[1]) : nil)
        }
    }

    /// The name of `NAME=VALUE`. A name with invalid percent-encoding counts as unknown.
    static func name(of pair: Substring) -> String { decoded(pair.prefix { $0 != "=" }) ?? "" }

    private static func decoded(_ text: Substring) -> String? {
        text.replacing("+", with: " ").removingPercentEncoding
    }

    /// The names of the parameters, each once.
    var names: [String] { pairs.map(\.name).reduce(into: []) { if !$1.isEmpty, !$0.contains($1) { $0.append($1) } } }

    func text(_ name: String) throws(RPCError) -> String? { try single(name) }

    /// The values of a parameter that may be repeated.
    func texts(_ name: String) throws(RPCError) -> [String] {
        var values: [String] = []
        for pair in pairs where pair.name == name {
            guard let value = pair.value else { throw refused(name, "must have a valid percent-encoded value") }
            values.append(value)
        }
        return values
    }

    /// Whether a parameter is given, valid or not.
    func has(_ name: String) -> Bool { pairs.contains { $0.name == name } }

    /// A decimal number within `range`. A number above all integers counts as the largest.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(RPCError) -> Int? {
        guard let text = try single(name) else { return nil }
        let isDecimal = !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let number = Int(text) ?? .max
        guard isDecimal, range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw refused(name, "must be a number \(bounds)")
        }
        return number
    }

    func id(_ name: String) throws(RPCError) -> UUID? {
        guard let text = try single(name) else { return nil }
        guard let id = UUID(hexadecimal: text) else { throw refused(name, "must be a UUID") }
        return id
    }

    /// The first value of a parameter; nil when it is absent or invalid.
    func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }

    private func single(_ name: String) throws(RPCError) -> String? {
        let values = pairs.filter { $0.name == name }
        guard let first = values.first else { return nil }
        guard values.count == 1 else { throw refused(name, "must not appear more than once") }
        guard let value = first.value else { throw refused(name, "must have a valid percent-encoded value") }
        return value
    }

    private func refused(_ name: String, _ reason: String) -> RPCError {
        RPCError(.invalidParams, "\(name): \(reason)", begun: false)
    }
}
