import JSON

extension JSONError {
    /// The reason with line and column in place of the offset.
    /// - Parameter text: what was read.
    func placed(in text: some BidirectionalCollection<UInt8>) -> String {
        guard case .syntax(let reason, let offset) = self else { return "\(self)" }
        let before = text.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return "\(reason), at line \(line), column \(column)"
    }
}
