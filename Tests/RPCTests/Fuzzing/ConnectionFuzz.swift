import NIOCore
import NIOEmbedded

@testable import RPC

/// A script of what happens to connections. The first byte chooses whose: a server's with a peer that does as it likes, a
/// client's with such a peer, or the two of them with each other.
///
/// The real classes run on NIO's embedded loop, with neither sockets nor threads nor clock: so a script is the same in every
/// run, hours pass in no time, and thousands run in a second. What it takes is that the runtime asks its loop what time it
/// is; only accepting, connecting and asking the kernel who the peer is are left out.
enum ConnectionFuzz {
    /// What one more byte is not worth.
    static let mostSteps = 256

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let loop = EmbeddedEventLoop()
        switch input.number(below: 3) {
        case 0: try ServerScript(on: loop, &input).run(&input)
        case 1: try ClientScript(on: loop, &input).run(&input)
        default: try PairScript(on: loop, &input).run(&input)
        }
    }
}

extension EmbeddedEventLoop {
    /// Lets time pass, from a moment to hours.
    func pass(_ input: inout FuzzInput) {
        advanceTime(by: .milliseconds(input.one(of: [1, 100, 1_000, 5_000, 31_000, 3_600_000])))
    }

    /// Lets all that is under way come to its end.
    func rest() { advanceTime(by: .hours(100)) }
}

extension Limits {
    /// Small enough to be reached by a script.
    static func fuzzed(_ input: inout FuzzInput) -> Limits {
        var limits = Limits()
        let choice = input.byte()
        limits.openTransfers = choice & 1 == 0 ? 4 : 64
        limits.assembledBytes = choice & 2 == 0 ? 200_000 : 2_000_000
        limits.frameBytes = choice & 4 == 0 ? 5_000 : 300_000
        limits.queuedBytes = choice & 8 == 0 ? 5_000 : 1_000_000
        limits.callsPerConnection = choice & 16 == 0 ? 4 : 100
        limits.discardedBytes = 10_000
        limits.callsWaiting = 8
        return limits
    }
}

extension Features {
    static func fuzzed(_ input: inout FuzzInput) -> Features {
        // All that our client asks for, nearly always: without features there is little to see.
        let choice = input.byte()
        return choice & 0xF0 == 0 ? Features(rawValue: choice & 0x0F) : .standard
    }
}
