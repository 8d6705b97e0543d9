import NIOCore
import NIOEmbedded

@testable import RPC

/// A script of events on connections. Its first byte selects the parties: a server with an arbitrary peer, a client
/// with an arbitrary peer, or a server and a client.
///
/// The real classes run on NIO's embedded event loop, without sockets, threads or a clock. So a script always runs the
/// same way, hours pass instantly, and thousands of scripts run in a second. This requires that the runtime asks its
/// event loop for the time. Only accepting, connecting and reading the peer's credentials are not covered.
enum ConnectionFuzz {
    /// Longer inputs are not worth their run time.
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
    /// Advances the time, from an instant to hours.
    func pass(_ input: inout FuzzInput) {
        advanceTime(by: .milliseconds(input.one(of: [1, 100, 1_000, 5_000, 31_000, 3_600_000])))
    }

    /// Lets everything under way finish.
    func rest() { advanceTime(by: .hours(100)) }
}

extension Limits {
    /// Small enough for a script to reach them.
    static func fuzzed(_ input: inout FuzzInput) -> Limits {
        var limits = Limits()
        let choice = input.byte()
        limits.openTransfers = choice & 1 == 0 ? 4 : 64
        limits.assembledBytes = choice & 2 == 0 ? 200_000 : 2_000_000
        limits.frameBytes = choice & 4 == 0 ? 5_000 : Limits.textOnLoop
        limits.queuedBytes = choice & 8 == 0 ? 5_000 : 1_000_000
        limits.callsPerConnection = choice & 16 == 0 ? 4 : 100
        limits.discardedBytes = 10_000
        limits.callsWaiting = 8
        return limits
    }
}

extension Features {
    static func fuzzed(_ input: inout FuzzInput) -> Features {
        // Nearly always all features of our client, because little happens without features.
        let choice = input.byte()
        return choice & 0xF0 == 0 ? Features(rawValue: choice & 0x0F) : .standard
    }
}
