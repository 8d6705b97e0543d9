import Foundation

/// How old an answer was when it came: an upstream may itself have it from a cache.
public enum AnswerAge {
    /// The most seconds that are believed (RFC 9111, 1.2.2).
    public static let maximum = 1 << 31

    /// The seconds of an `Age` header; one that cannot be read counts as none.
    public static func seconds(_ header: String?) -> Int {
        guard let header, !header.isEmpty, header.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Int(header) ?? maximum, maximum)
    }

    /// When the answer was new, in whole seconds.
    public static func savedAt(receivedAt now: Date, age: Int) -> Date {
        Date(timeIntervalSince1970: (now.timeIntervalSince1970 - Double(age)).rounded(.down))
    }
}
