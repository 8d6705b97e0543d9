/// The colours of the terminal browser, those of the web page.
struct Theme: Sendable, Equatable {
    enum Appearance: Sendable {
        case light, dark

        var other: Appearance { self == .light ? .dark : .light }
    }

    let appearance: Appearance

    /// Nil without colours: then only weights and reversed text distinguish parts.
    let depth: ColorDepth?

    /// The parameters of the escape sequence for plain text on the ground.
    var base: String {
        guard let depth else { return "0" }
        return "0;\(depth.parameters(text, isBackground: false));\(depth.parameters(ground, isBackground: true))"
    }

    func bold(_ text: String) -> String { styled(text, "1") }
    func muted(_ text: String) -> String { styled(text, color(isLight ? RGB(0x5F6368) : RGB(0xA3A7AD)) ?? "2") }
    func accent(_ text: String) -> String { styled(text, color(isLight ? RGB(0x0B5FCC) : RGB(0x8AB8FF)) ?? "1") }

    /// The banner of an error.
    func danger(_ text: String) -> String {
        guard let depth else { return styled(text, "7") }
        let ground = depth.parameters(isLight ? RGB(0xFDECEA) : RGB(0x3A1A18), isBackground: true)
        return styled(
            text, depth.parameters(isLight ? RGB(0x8C1D18) : RGB(0xFFB4AB), isBackground: false) + ";" + ground)
    }

    /// A box that has no picture yet.
    func blank(_ text: String) -> String {
        guard let depth else { return styled(text, "2") }
        return styled(text, depth.parameters(isLight ? RGB(0xEFECE7) : RGB(0x1F2123), isBackground: true))
    }

    private var isLight: Bool { appearance == .light }
    private var ground: RGB { isLight ? RGB(0xFBFAF8) : RGB(0x121314) }
    private var text: RGB { isLight ? RGB(0x1B1C1E) : RGB(0xECECEE) }

    private func color(_ color: RGB) -> String? { depth?.parameters(color, isBackground: false) }

    private func styled(_ text: String, _ parameters: String) -> String {
        text.isEmpty ? "" : "\u{1B}[\(parameters)m\(text)\u{1B}[\(base)m"
    }
}
