extension Double {
    /// The shortest JSON number that reads back as this value: `0.7`, `100`, `1e+16`. Nil for NaN and infinities.
    var shortest: String? {
        guard isFinite else { return nil }
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
