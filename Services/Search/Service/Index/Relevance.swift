import Foundation
import GRDB
import GRDBSQLite

/// The function `relevance(word, PHRASES)` of FTS5: the score of an image, higher is better.
///
/// It depends on nothing but the image's own texts: not on how many other images have a word, as BM25 does, and not on comments. So it
/// stays the same while others publish and comment, and a reader can page through the results.
enum Relevance {
    /// What a phrase of the expression counts.
    enum Phrase: UInt8 {
        /// Nothing: it is a filter.
        case filter

        /// The beginning of words.
        case prefix

        /// Whole words, which the phrase of a prefix counts as well.
        case wholeOfPrefix

        /// Whole words.
        case whole
    }

    /// The argument of the function: the first phrases of the expression; further ones are filters.
    static func argument(_ phrases: [Phrase]) -> Data { Data(phrases.map(\.rawValue)) }

    /// Adds the function to a connection.
    static func register(_ db: Database) throws {
        let api = UnsafeMutablePointer(mutating: FTS5.api(db))
        let code = api.pointee.xCreateFunction(api, "relevance", nil, function, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static let function: fts5_extension_function = { api, row, result, count, arguments in
        guard let api, count == 1, let argument = arguments?[0], let phrases = sqlite3_value_blob(argument) else {
            return sqlite3_result_double(result, 0)
        }
        var score = 0.0
        for number in 0..<min(api.pointee.xPhraseCount(row), sqlite3_value_bytes(argument)) {
            let phrase = Phrase(rawValue: phrases.loadUnaligned(fromByteOffset: Int(number), as: UInt8.self)) ?? .filter
            guard phrase != .filter else { continue }
            var (place, column, offset) = (Fts5PhraseIter(), Int32(0), Int32(0))
            let code = api.pointee.xPhraseFirst(row, number, &place, &column, &offset)
            guard code == SQLITE_OK else { return sqlite3_result_error_code(result, code) }
            var frequency = 0.0
            while column >= 0 {
                frequency += Relevance.weight(ofColumn: column)
                api.pointee.xPhraseNext(row, &place, &column, &offset)
            }
            guard frequency > 0 else { continue }
            if phrase != .prefix { score += Relevance.wholeWord }
            if phrase != .wholeOfPrefix {
                score += frequency * (Relevance.saturation + 1) / (frequency + Relevance.saturation)
            }
        }
        sqlite3_result_double(result, score)
    }

    /// What a whole word counts: more than the beginnings of words can.
    private static let wholeWord = 1_000.0

    /// How little further occurrences of a word count.
    private static let saturation = 12.0

    private static func weight(ofColumn column: Int32) -> Double {
        switch column {
        case 0: 10  // title
        case 1: 8  // tags
        case 2, 3: 5  // place, credit
        default: 0
        }
    }
}
