/// Terminal colours and weights, or none. Text is styled last: after escaping, measuring and padding.
struct Style: Sendable, Equatable {
    static let plain = Style(isOn: false)

    let isOn: Bool

    func bold(_ text: String) -> String { styled(text, on: 1, off: 22) }
    func dim(_ text: String) -> String { styled(text, on: 2, off: 22) }
    func red(_ text: String) -> String { styled(text, on: 31, off: 39) }
    func green(_ text: String) -> String { styled(text, on: 32, off: 39) }
    func yellow(_ text: String) -> String { styled(text, on: 33, off: 39) }

    /// Resets only its own attribute, so that a colour inside bold text does not end the bold.
    private func styled(_ text: String, on: Int, off: Int) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(on)m\(text)\u{1B}[\(off)m" : text
    }
}
