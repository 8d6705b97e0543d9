import JSON

/// The names that plugins may have.
enum PluginName {
    static let maximumLength = 32

    /// The first parts of the names of the protocol's and the gateway's own methods.
    static let reserved = ["rpc", "gateway"]

    /// The programs that the supervisor runs, so no plugin with such a name can have a program.
    static let programs = ["feed", "comments", "image-data", "gateway"]

    static let codec = Codec<String>.string.map(
        describedAs: ["pattern": .string("^[a-z][a-z0-9-]{0,31}$")],
        into: { name throws(JSONError) in try checked(name) },
        from: { $0 })

    static func checked(_ name: String) throws(JSONError) -> String {
        let isWellFormed =
            name.utf8.count <= maximumLength && name.first.map(isLetter) == true
            && name.allSatisfy { isLetter($0) || ("0"..."9").contains($0) || $0 == "-" }
        guard isWellFormed else {
            throw .refused("must be 1 to \(maximumLength) of a-z, 0-9 and -, beginning with a letter")
        }
        guard !reserved.contains(name) else { throw .refused("is reserved") }
        return name
    }

    private static func isLetter(_ character: Character) -> Bool { ("a"..."z").contains(character) }
}
