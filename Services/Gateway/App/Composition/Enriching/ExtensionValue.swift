import JSON

/// The rules for a value that a plugin adds to an item. Clients display the value and embed it in other documents.
enum ExtensionValue {
    /// - Throws: a mismatch for a value that is too large, too deep, or has a control character other than a tab or a line feed.
    static func check(_ value: RawJSON) throws(JSONError) {
        let bytes = value.bytes
        guard bytes.count <= EnrichmentLimits.valueBytes else {
            throw .refused("has \(bytes.count) bytes, the limit is \(EnrichmentLimits.valueBytes)")
        }
        var (index, depth, isString) = (0, 0, false)
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "{") where !isString, UInt8(ascii: "[") where !isString:
                depth += 1
                guard depth <= EnrichmentLimits.depth else {
                    throw .refused("is nested deeper than \(EnrichmentLimits.depth)")
                }
            case UInt8(ascii: "}") where !isString, UInt8(ascii: "]") where !isString: depth -= 1
            case UInt8(ascii: "\\"):
                guard !isControl(escape: bytes[(index + 1)...]) else { throw .refused("has a control character") }
                // The next byte may be a quotation mark that does not end the string.
                index += 1
            // DEL, and U+0080 to U+009F in UTF-8.
            case 0x7F: throw .refused("has a control character")
            case 0xC2 where (0x80...0x9F).contains(bytes[index + 1]): throw .refused("has a control character")
            default: break
            }
            index += 1
        }
    }

    /// - Parameter text: what follows a backslash in valid JSON.
    private static func isControl(escape text: ArraySlice<UInt8>) -> Bool {
        switch text.first {
        case UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "r"): return true
        case UInt8(ascii: "u"):
            let digits = String(decoding: text.dropFirst().prefix(4), as: UTF8.self)
            guard let code = UInt32(digits, radix: 16) else { return true }
            return (code < 0x20 && code != 0x09 && code != 0x0A) || (0x7F...0x9F).contains(code)
        default: return false
        }
    }
}
