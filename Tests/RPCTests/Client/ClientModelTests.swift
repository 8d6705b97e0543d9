import Glibc
import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// Calls that are sent, cut off, sent again, refused, shed, cancelled and timed out in any order, against a peer that
/// records what it has handled.
struct ClientModelTests {
    @Test(arguments: 1...UInt64(ModelSeeds.count(usual: 300)))
    func `no call that reports begun:false was handled, and none is handled twice unless it is repeatable`(
        seed: UInt64
    ) throws {
        var history = try History(seed: seed)
        for _ in 0..<120 { try history.step() }
        try history.finish()
    }

    private struct History {
        private var random: SeededRandom
        private let client: TimedClient
        private var calls: [Int: (isRepeatable: Bool, name: String)] = [:]
        private var handled: [String: Int] = [:]
        private var isDraining = false
        private let seed: UInt64

        init(seed: UInt64) throws {
            self.seed = seed
            client = try TimedClient()
            random = SeededRandom(seed: seed)
        }

        mutating func step() throws {
            switch Int.random(in: 0..<20, using: &random) {
            case 0...5: call()
            case 6: client.cancel(Int.random(in: 1...max(calls.count, 1), using: &random))
            case 7...10: try connect()
            case 11...14: try peerWorks()
            case 15: try cut()
            case 16: try drain()
            case 17: client.end?.kernel.isEager.toggle()
            default: client.pass(.milliseconds([1, 30, 300, 1_000, 4_000].randomElement(using: &random) ?? 1))
            }
            if Bool.random(using: &random) { client.end?.kernel.take(1) }
            client.loop.run()
        }

        private mutating func call() {
            let isRepeatable = Bool.random(using: &random)
            // Some are sent in parts.
            let size = [0, 0, 0, 200_000].randomElement(using: &random) ?? 0
            let name = "\(calls.count + 1)"
            let id = client.call(
                name + "|" + String(repeating: "x", count: size), repeatable: isRepeatable,
                timeout: .milliseconds([50, 500, 5_000, 20_000].randomElement(using: &random) ?? 50))
            calls[id] = (isRepeatable, name)
        }

        private mutating func connect() throws {
            guard !client.isConnected else { return }
            switch Int.random(in: 0..<5, using: &random) {
            case 0: client.fail()
            case 1: client.fail(EAGAIN)
            default:
                isDraining = false
                try client.connect()
                if Int.random(in: 0..<8, using: &random) > 0 {
                    try client.greet(features: Bool.random(using: &random) ? ["parts"] : [])
                }
            }
        }

        private mutating func drain() throws {
            guard client.isConnected else { return }
            isDraining = true
            try client.send(#"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#)
        }

        /// The connection ends. The peer may still handle what it received before.
        private mutating func cut() throws {
            if Bool.random(using: &random) { try peerWorks(answering: false) }
            client.cut()
            if Bool.random(using: &random) { try peerWorks(answering: false) }
        }

        private mutating func peerWorks(answering: Bool = true) throws {
            for name in try client.calls().compactMap({ $0.split(separator: "|").first.map(String.init) }) {
                guard let id = Int(name) else { continue }
                let choice = Int.random(in: 0..<6, using: &random)
                if isDraining || choice == 0 {
                    if answering { try client.refuse(id, .unavailable) }
                } else if choice == 1 {
                    let pause = [nil, 0, 25, 1_000, .max].randomElement(using: &random) ?? nil
                    if answering { try client.refuse(id, .overloaded, retryAfter: pause) }
                } else {
                    handled[name, default: 0] += 1
                    guard answering, choice > 2 else { continue }
                    if choice == 3 {
                        try client.refuse(id, .unavailable, begun: true)
                    } else {
                        try client.answer(id)
                    }
                }
            }
        }

        mutating func finish() throws {
            try peerWorks()
            client.core.stop()
            client.loop.run()
            for (id, call) in calls {
                let times = handled[call.name] ?? 0
                let story = Comment(
                    rawValue: "seed \(seed), call \(id): \(client.outcome(id) as Any), handled \(times)")
                switch client.outcome(id) {
                case .success: #expect(times > 0, story)
                case .failure(let error): #expect(error.begun || times == 0, story)
                case nil: Issue.record("seed \(seed), call \(id) has not ended")
                }
                #expect(call.isRepeatable || times <= 1, story)
            }
        }
    }
}
