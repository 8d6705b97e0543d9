import FeedContract
import Foundation
import JSON
import NIOCore
import RPC
import RPCTestKit
import Synchronization
import Testing

@testable import gateway

/// Plugins that answer at random, right or wrong, beside one that is right.
///
/// For every page the values of the right plugin are complete. Each other plugin is a problem of the page, or its values are valid.
struct EnrichingModelTests {
    /// The number of pages for each seed.
    private static let pages = 20

    private static let wild = ["x", "y", "z"]

    /// The time of a wild plugin.
    private static let timeout = TimeAmount.milliseconds(30)

    @Test(arguments: 1...ModelSeeds.count(usual: 10))
    func `the values of a right plugin are complete beside any others`(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        var services = FakeServices()
        services.plugins = [
            .enriching("good") { ids in #"{"v":{"# + ids.map { #""\#($0)":1"# }.joined(separator: ",") + "}}" }
        ]
        // Time passes only for plugins that hang. The right one has more time than all of them together.
        let clock = ManualClock()
        let (hangs, hanging) = AsyncStream.makeStream(of: Void.self)
        for name in Self.wild {
            let answers = Mutex(SeededRandom(seed: random.next()))
            services.plugins.append(
                .enriching(name, timeout: Int(Self.timeout.nanoseconds / 1_000_000)) { ids in
                    let answer = answers.withLock { WildAnswer.any(for: ids, &$0) }
                    if case .hang = answer { hanging.yield() }
                    return try await answer.text
                })
        }
        let sizes = (0..<Self.pages).map { _ in Int.random(in: 1...10, using: &random) }
        try await RunningAPI.withRegistry(of: services, clock: clock) { registry in
            let enriching = Enriching(registry)
            async let _: Void = registry.run()
            async let _: Void = { for await _ in hangs { await clock.advance(by: Self.timeout) } }()
            for size in sizes {
                let ids = (0..<size).map { _ in UUID() }
                let extensions = await enriching.extensions(of: ids, CallOptions(timeout: .hours(1)))
                let problems = extensions.problems
                #expect(Set(problems.map(\.service)).isSubset(of: Self.wild), "seed \(seed): \(problems)")
                for id in ids {
                    let values = extensions.values(of: id)
                    #expect(values["good"]?.description == "1", "seed \(seed)")
                    for (name, value) in values {
                        #expect(!problems.contains { $0.service == name }, "seed \(seed)")
                        try ExtensionValue.check(value)
                    }
                }
                #expect(Set(extensions.parts.map(\.name)).isSuperset(of: Self.wild + ["good"]))
                // No plugin is paused any more.
                await clock.advance(by: EnrichmentLimits.pause)
            }
        }
    }
}

/// What a plugin answers.
private enum WildAnswer {
    case answer(String)
    case error(RPCError)
    case hang

    var text: String {
        get async throws {
            switch self {
            case .answer(let text): return text
            case .error(let error): throw error
            case .hang:
                await waitForCancellation()
                return "{}"
            }
        }
    }

    static func any(for ids: [String], _ random: inout SeededRandom) -> WildAnswer {
        let id = ids.randomElement(using: &random)!
        func values(_ members: [(String, String)]) -> WildAnswer {
            .answer(#"{"values":{"# + members.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}}")
        }
        let count = Int.random(in: 1...9, using: &random)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: return .hang
        case 1: return .error(RPCError(ErrorKind.allCases.randomElement(using: &random)!, "no"))
        case 2: return .answer(["{}", "[]", "3", "null", #"{"values":[]}"#].randomElement(using: &random)!)
        case 3: return .answer(#"{"values":{"\#(id)":1},"more":{}}"#)
        case 4: return values((0..<count * 500).map { _ in (UUID().uuidString, "1") })
        case 5: return values([(id, "1"), (id, "2")])
        case 6: return values([(id, "1"), (id.lowercased(), "2")])
        case 7: return values([(id, "null"), ("", "1"), ("x", "1")])
        case 8: return values([(id, #""\#(String(repeating: "x", count: 4_090 + count))""#)])
        case 9:
            return values([(id, String(repeating: "[", count: 10 * count) + String(repeating: "]", count: 10 * count))])
        case 10: return values([(id, #""\u001b[2J""#)])
        case 11: return values(ids.map { ($0, String(repeating: " ", count: 30_000) + "1") })
        case 12: return values([])
        default: return values(ids.map { ($0, ["1", #""text""#, #"{"text":"a"}"#].randomElement(using: &random)!) })
        }
    }
}
