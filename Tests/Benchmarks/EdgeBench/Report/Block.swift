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
        let values: [Double?]
        var note = ""
    }

    let name: String
    let columns: [Column]
    var rows: [Row] = []

    var table: String {
        let rows = rows.map { row in
            [row.name] + zip(row.values, columns).map { Columns.number($0, digits: $1.digits) } + [row.note]
        }
        return Columns.lines([[name] + columns.map(\.title) + [""]] + rows)
    }
}

extension Block {
    static func json(_ blocks: [Block]) throws -> String {
        let cases = blocks.map { block in
            JSONCase(
                name: block.name,
                rows: block.rows.map { row in
                    let values = zip(block.columns, row.values).compactMap { column, value in
                        value.map { (column.key, $0) }
                    }
                    return JSONCase.Row(
                        name: row.name, values: Dictionary(uniqueKeysWithValues: values),
                        note: row.note.isEmpty ? nil : row.note)
                })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(["cases": cases]), as: UTF8.self)
    }

    private struct JSONCase: Encodable {
        struct Row: Encodable {
            let name: String
            let values: [String: Double]
            let note: String?
        }

        let name: String
        let rows: [Row]
    }
}
