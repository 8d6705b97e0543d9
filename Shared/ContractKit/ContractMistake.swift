/// A mistake in the files of a contract: the file, the place in it, and the reason.
public struct ContractMistake: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    func inside(_ place: String) -> ContractMistake { ContractMistake("\(place): \(description)") }
}

/// Adds a place to the mistakes of `body`.
func inside<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let mistake as ContractMistake {
        throw mistake.inside(place)
    }
}
