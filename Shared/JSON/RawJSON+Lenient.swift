extension RawJSON {
    /// Reads a file that other programs have written: a byte order mark is ignored, and of a doubled member the last value counts.
    /// - Throws: `JSONError.syntax` when it is not exactly one JSON value.
    package init(lenient text: some Collection<UInt8>) throws(JSONError) {
        var text = Array(text)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        let range = try text.withUnsafeBufferPointer { bytes throws(JSONError) in
            var reader = JSONReader(checking: bytes, allowsDuplicates: true)
            let range = try reader.skipValue()
            try reader.end()
            return range
        }
        self.init(unchecked: range.count == text.count ? text : Array(text[range]))
    }
}
