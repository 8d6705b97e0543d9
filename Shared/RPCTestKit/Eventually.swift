/// Checks a condition five times a second until it is true, without a time limit. Only for the state of other processes that no event
/// announces: neither an exit nor a line in a log. Most conditions start a process, so checks without a pause would delay the
/// programs that they wait for.
public func eventually(
    isolation: isolated (any Actor)? = #isolation, _ isMet: () async throws -> Bool
) async throws {
    while try await !isMet() { try await Task.sleep(for: .milliseconds(200)) }
}
