import Foundation
import GRDB
import GRDBSQLite

/// The function `relevance(word, WEIGHTS)` of FTS5: the BM25 score of an image, higher is better.
///
/// FTS5 has `bm25`, but before it ranks the first row it reads all rows with each word, to count them. Here the caller passes the
/// weight of each phrase. The length of a text does not count (the parameter b of BM25 is 0): reading it takes longer than all the rest,
/// and among images with the same words the newest is to come first.
enum Relevance {
    /// The weight of a phrase that some of the images have (inverse document frequency). Rare words have higher weights.
    static func weight(images: Int, of total: Int) -> Double {
        let (images, total) = (Double(min(images, total)), Double(total))
        return log(1 + (total - images + 0.5) / (images + 0.5))
    }

    /// The argument of the function: the weights of the first phrases of the expression; further ones have the weight 0.
    static func argument(_ weights: [Double]) -> Data { weights.withUnsafeBytes { Data($0) } }

    /// Adds the function to a connection.
    static func register(_ db: Database) throws {
        let api = UnsafeMutablePointer(mutating: FTS5.api(db))
        let code = api.pointee.xCreateFunction(api, "relevance", nil, function, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static let function: fts5_extension_function = { api, row, result, count, arguments in
        guard let api, count == 1, let argument = arguments?[0], let weights = sqlite3_value_blob(argument) else {
            return sqlite3_result_double(result, 0)
        }
        let size = MemoryLayout<Double>.size
        var score = 0.0
        for phrase in 0..<min(api.pointee.xPhraseCount(row), sqlite3_value_bytes(argument) / Int32(size)) {
            let weight = weights.loadUnaligned(fromByteOffset: Int(phrase) * size, as: Double.self)
            guard weight > 0 else { continue }
            var (place, column, offset) = (Fts5PhraseIter(), Int32(0), Int32(0))
            let code = api.pointee.xPhraseFirst(row, phrase, &place, &column, &offset)
            guard code == SQLITE_OK else { return sqlite3_result_error_code(result, code) }
            var frequency = 0.0
            while column >= 0 {
                frequency += Relevance.weight(ofColumn: column)
                api.pointee.xPhraseNext(row, &place, &column, &offset)
            }
            score += weight * frequency * (Relevance.saturation + 1) / (frequency + Relevance.saturation)
        }
        sqlite3_result_double(result, score)
    }

    /// The parameter k1 of BM25: how little further occurrences of a word count.
    private static let saturation = 1.2

    private static func weight(ofColumn column: Int32) -> Double {
        switch column {
        case 0: 10  // title
        case 1: 8  // tags
        case 2: 5  // place
        case 3: 1  // comments
        default: 0
        }
    }
}
