import BenchKit
import Foundation

/// A run as JSON.
struct Report: Encodable {
    let machine: Machine

    /// The number of rounds and the seconds per measurement.
    let rounds: Int
    let seconds: Double
    let cases: [Case]
    let leftOut: [LeftOut]

    enum CodingKeys: String, CodingKey {
        case machine, rounds, seconds, cases
        case leftOut = "left_out"
    }

    init(_ blocks: [Block], _ bench: Bench, _ machine: Machine, _ leftOut: [LeftOut]) {
        self.machine = machine
        self.leftOut = leftOut
        (rounds, seconds) = (bench.rounds, bench.seconds)
        cases = blocks.map(Case.init)
    }

    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    struct Case: Encodable {
        let name: String
        let rows: [Row]

        init(_ block: Block) {
            name = block.name
            rows = block.rows.map { Row($0, block.columns) }
        }
    }

    struct Row: Encodable {
        let name: String
        let values: [String: Double]
        let rounds: [[String: Double]]
        let aims: [Reached]

        init(_ row: Block.Row, _ columns: [Block.Column]) {
            name = row.name
            values = Self.named(row.values, columns)
            rounds = row.rounds.map { Self.named($0, columns) }
            aims = row.aims.map(Reached.init)
        }

        private static func named(_ values: [Double?], _ columns: [Block.Column]) -> [String: Double] {
            let pairs = zip(columns, values).compactMap { column, value in value.map { (column.key, $0) } }
            return Dictionary(uniqueKeysWithValues: pairs)
        }
    }

    struct Reached: Encodable {
        let what: String
        let at_least, at_most: Double?
        let measured: Double
        let reached: Bool

        init(_ aim: MeasuredAim) {
            (what, measured, reached) = (aim.what, aim.value, aim.isReached)
            switch aim.aim {
            case .atLeast(let bound): (at_least, at_most) = (bound, nil)
            case .atMost(let bound): (at_least, at_most) = (nil, bound)
            }
        }
    }
}
