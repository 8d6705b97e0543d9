import JSON

extension RawJSON {
    /// The value for a terminal: every member on a line of its own. JSON escapes the control characters of ASCII; those of later
    /// Unicode ranges are escaped here.
    var indented: String {
        guard let value = try? JSONValue(self) else { return Escaping.visible("\(self)") }
        return value.formatted(lineLength: nil).split(separator: "\n").map { Escaping.visible(String($0)) }
            .joined(separator: "\n")
    }
}
