/// A colour in sRGB.
struct RGB: Sendable, Equatable {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    /// - Parameter hexadecimal: as in `0xFBFAF8`.
    init(_ hexadecimal: UInt32) {
        self.init(
            UInt8(truncatingIfNeeded: hexadecimal >> 16), UInt8(truncatingIfNeeded: hexadecimal >> 8),
            UInt8(truncatingIfNeeded: hexadecimal))
    }

    /// Whether dark text is legible on this colour.
    var isLight: Bool { 299 * Int(red) + 587 * Int(green) + 114 * Int(blue) > 127_500 }
}

/// The colours that a terminal can show.
enum ColorDepth: Sendable {
    /// The palette of 256 colours of xterm.
    case palette
    /// Every colour.
    case full

    /// - Parameter environment: the environment variables of the process.
    init(environment: [String: String]) {
        let isFull =
            ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
            || ["direct", "kitty", "ghostty", "alacritty", "foot", "wezterm"].contains {
                (environment["TERM"] ?? "").contains($0)
            }
        self = isFull ? .full : .palette
    }

    /// The parameters of the escape sequence that sets a colour.
    func parameters(_ color: RGB, isBackground: Bool) -> String {
        let target = isBackground ? 48 : 38
        return switch self {
        case .full: "\(target);2;\(color.red);\(color.green);\(color.blue)"
        case .palette: "\(target);5;\(Self.index(of: color))"
        }
    }

    /// The nearest colour of the cube of 6 × 6 × 6 colours, which begins at 16.
    static func index(of color: RGB) -> Int {
        func level(_ value: UInt8) -> Int { value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40 }
        return 16 + 36 * level(color.red) + 6 * level(color.green) + level(color.blue)
    }
}
