import Foundation

/// The age of an upstream's answer, which may come from a cache.
public enum AnswerAge {
    /// The maximum age in seconds; larger values count as this one (RFC 9111, 1.2.2).
    public static let maximum = 1 << 31

    /// The seconds of an `Age` header; an invalid or absent header counts as 0.
    public static func seconds(_ header: String?) -> Int {
        guard let header, !header.isEmpty, header.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
        return min(Int(header) ?? maximum, maximum)
    }

    /// When the answer was generated, in whole seconds.
    public static func savedAt(receivedAt now: Date, age: Int) -> Date {
        Date(timeIntervalSince1970: (now.timeIntervalSince1970 - Double(age)).rounded(.down))
    }
}
