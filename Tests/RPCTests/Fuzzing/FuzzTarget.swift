/// What the fuzzers, and the test that replays their corpus, give bytes to.
///
/// These files are compiled twice: into `RPCTests`, and with coverage instrumentation into `rpc-fuzz` (deploy/fuzz).
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Bytes into frames, texts into messages and values.
    case decoder
    /// A script of what the two ends of a connection do, and of what becomes of their bytes on the way.
    case connection

    /// - Throws: `FuzzFinding` when something does not hold that must hold for all bytes.
    package func run(_ bytes: [UInt8]) throws {
        switch self {
        case .decoder: try DecoderFuzz.run(bytes)
        case .connection: try ConnectionFuzz.run(bytes)
        }
    }
}
