/// Escapes characters that would control the terminal, because stored texts are untrusted.
///
/// The result is for display and cannot be parsed back: a backslash remains unchanged.
package enum Escaping {
    package static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mustEscape) else { return text }
        return text.unicodeScalars.reduce(into: "") { visible, scalar in
            if mustEscape(scalar) {
                visible += escaped(scalar)
            } else {
                visible.unicodeScalars.append(scalar)
            }
        }
    }

    /// The same for JSON, which remains JSON: there the characters of ASCII are escaped already.
    package static func json(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mustEscape) else { return text }
        return text.unicodeScalars.reduce(into: "") { visible, scalar in
            if mustEscape(scalar), scalar.value > 0x7E {
                visible += #"\u"# + String(0x10000 + scalar.value, radix: 16).dropFirst()
            } else {
                visible.unicodeScalars.append(scalar)
            }
        }
    }

    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        guard !(" "..."~").contains(scalar) else { return false }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": #"\n"#
        case "\r": #"\r"#
        case "\t": #"\t"#
        default: #"\u{"# + String(scalar.value, radix: 16, uppercase: true) + "}"
        }
    }
}
