extension String {
    /// The text as one word of a shell command, for a suggested command. Quoted only if necessary.
    var shellWord: String {
        let isPlain = !isEmpty && unicodeScalars.allSatisfy(Self.isPlain)
        return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", ":", "=", "@", "%", "+", ",": true
        default: false
        }
    }
}
