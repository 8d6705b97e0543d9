import BenchKit
import Foundation

/// Results as rows of numbers: printed as a table or as JSON.
struct Block: Sendable {
    struct Column: Sendable {
        let title: String

        /// Its name in JSON.
        let key: String
        var digits = 1
    }

    struct Row: Sendable {
        let name: String

        /// The medians of the rounds.
        let values: [Double?]

        /// The values of each round, where they were collected.
        let rounds: [[Double?]]
        let aims: [MeasuredAim]

        /// - Parameter aims: nil for an aim whose number could not be measured.
        init(name: String, values: [Double?], rounds: [[Double?]] = [], aims: [MeasuredAim?] = []) {
            self.name = name
            self.values = values
            self.rounds = rounds
            self.aims = aims.compactMap(\.self)
        }
    }

    let name: String
    let columns: [Column]
    var rows: [Row] = []

    var table: String {
        let rows = rows.map { row in
            [row.name] + zip(row.values, columns).map { Columns.number($0, digits: $1.digits) }
                + [row.aims.map(\.note).joined(separator: ", ")]
        }
        return Columns.lines([[name] + columns.map(\.title) + [""]] + rows)
    }
}

extension Block {
    /// The aims of all blocks as a table; empty without aims.
    static func aims(_ blocks: [Block]) -> String {
        let rows = blocks.flatMap { block in
            block.rows.flatMap { row in
                row.aims.map { aim in
                    [
                        "\(block.name), \(row.name): \(aim.what)", "\(aim.aim)", Columns.number(aim.value, digits: 2),
                        aim.isReached ? "reached" : "MISSED",
                    ]
                }
            }
        }
        return rows.isEmpty ? "" : Columns.lines([["aims", "aim", "measured", ""]] + rows)
    }
}
