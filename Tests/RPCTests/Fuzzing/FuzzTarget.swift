/// The targets for the fuzzers' bytes. A test replays their corpus.
///
/// These files are compiled twice: into `RPCTests`, and with coverage instrumentation into `rpc-fuzz` (Tests/Fuzzing/fuzz).
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Decodes bytes to frames, and texts to messages and values.
    case decoder
    /// Runs a script of events at the two ends of a connection and on the way between them.
    case connection

    /// - Throws: `FuzzFinding` when an invariant is violated.
    package func run(_ bytes: [UInt8]) throws {
        switch self {
        case .decoder: try DecoderFuzz.run(bytes)
        case .connection: try ConnectionFuzz.run(bytes)
        }
    }
}
