/// A violated invariant.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String

    /// - Throws: itself, unless the condition holds.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(FuzzFinding) {
        if !condition { throw FuzzFinding(description: description()) }
    }
}
