import Foundation

/// Foundation takes `[1,]` and `[,1]` for JSON. It is none, and who sends it has more wrong than that.
enum JSONCommas {
    /// Whether every comma outside of strings stands between two values.
    static func areProper(in data: Data) -> Bool {
        var previous = UInt8(ascii: "[")
        var (isInString, isEscaped) = (false, false)
        for byte in data {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    isInString = byte != UInt8(ascii: "\"")
                }
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: ","):
                if opening.contains(previous) { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if previous == UInt8(ascii: ",") { return false }
            default: break
            }
            previous = byte
        }
        return true
    }

    /// After what no comma may stand.
    private static let opening: [UInt8] = Array("[{,:".utf8)
}
