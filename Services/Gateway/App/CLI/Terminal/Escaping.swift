/// Makes visible what would otherwise act on the reader's terminal: stored text comes from strangers.
///
/// The result is for reading, not for parsing back: a backslash stays as it is.
enum Escaping {
    static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: mustEscape) else { return text }
        return text.unicodeScalars.reduce(into: "") { visible, scalar in
            if mustEscape(scalar) {
                visible += escaped(scalar)
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
