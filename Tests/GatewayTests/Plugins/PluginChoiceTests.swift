import JSON
import RPCTestKit
import ServiceKit
import Testing

@testable import gateway

/// Manifests that claim the same extension or path.
@Suite struct PluginChoiceTests {
    /// The manifest of a plugin that publishes these paths and adds these extensions.
    private static func manifest(
        _ name: String, paths: String = "", adds: String = "", socket: String = "x.sock"
    ) throws -> PluginManifest {
        let http = paths.map { #""GET /v1/\#($0)":"\#(name).\#($0)""# }.joined(separator: ",")
        let enriches = adds.map { #"{"item":"feed","method":"\#(name).a","as":"\#($0)"}"# }.joined(separator: ",")
        let text =
            #"{"name":"\#(name)","socket":"\#(socket)","contracts":{},"http":{\#(http)},"enriches":[\#(enriches)]}"#
        return try RawJSON(checking: text).read(as: PluginManifest.codec)
    }

    /// - Parameter invalid: the names of the files that are invalid now.
    private static func choose(
        _ manifests: [PluginManifest], invalid: [String] = [], after inForce: [PluginManifest] = []
    ) -> PluginChoice {
        let rejections = invalid.map { FileRejection(file: "/plugins.d/\($0).json", reason: "is invalid") }
        return PluginChoice(PluginFolder.Scan(manifests: manifests, rejections: rejections), after: inForce)
    }

    @Test func `of new files the first one has a path, and the other is refused with both names`() throws {
        let (a, b) = (try Self.manifest("a", paths: "p"), try Self.manifest("b", paths: "pq"))
        let choice = Self.choose([a, b])
        #expect(choice.manifests == [a])
        #expect(choice.refused.map(\.manifest.file) == ["b.json"])
        #expect(choice.refused.map(\.reason) == ["http: GET /v1/p overlaps GET /v1/p of a.json"])
    }

    @Test(arguments: [false, true])
    func `the plugin in force keeps its path and its extension, also while its file is invalid`(
        isInvalid: Bool
    ) throws {
        let known = try Self.manifest("likes", paths: "p", adds: "x")
        for new in [
            try Self.manifest("a", paths: "p"), try Self.manifest("z", paths: "p"), try Self.manifest("a", adds: "x"),
        ] {
            let choice = Self.choose(
                isInvalid ? [new] : [new, known].sorted { $0.name < $1.name }, invalid: isInvalid ? ["likes"] : [],
                after: [known])
            #expect(choice.manifests == [known])
            #expect(choice.refused.map(\.manifest) == [new])
            #expect(choice.refused.first?.reason.contains("likes.json") == true)
            // It takes over when that file is removed.
            #expect(Self.choose([new], after: [known]).manifests == [new])
        }
    }

    @Test func `a changed file that claims what another has is refused, and its last content remains`() throws {
        let (a, b) = (try Self.manifest("a", paths: "p"), try Self.manifest("b", paths: "q"))
        let choice = Self.choose([try Self.manifest("a", paths: "q"), b], after: [a, b])
        #expect(Set(choice.manifests.map(\.name)) == ["a", "b"])
        #expect(choice.manifests.contains(a) && choice.manifests.contains(b))
        #expect(choice.refused.map(\.reason) == ["http: GET /v1/q overlaps GET /v1/q of b.json"])
    }

    @Test func `two plugins may exchange their paths`() throws {
        let inForce = [try Self.manifest("a", paths: "p"), try Self.manifest("b", paths: "q")]
        let changed = [try Self.manifest("a", paths: "q"), try Self.manifest("b", paths: "p")]
        let choice = Self.choose(changed, after: inForce)
        #expect(choice.manifests == changed && choice.refused.isEmpty)
    }

    @Test func `a change that releases a path lets another one have it`() throws {
        let inForce = [try Self.manifest("a", paths: "p"), try Self.manifest("b", paths: "q")]
        let changed = [try Self.manifest("a", paths: "q"), try Self.manifest("b", paths: "r")]
        let (new, other) = (try Self.manifest("c", paths: "p"), try Self.manifest("d", paths: "p"))
        let choice = Self.choose(changed + [new, other], after: inForce)
        #expect(choice.manifests.sorted { $0.name < $1.name } == changed + [new])
        #expect(choice.refused.map(\.reason) == ["http: GET /v1/p overlaps GET /v1/p of c.json"])
    }

    /// b cannot have c's path, so it keeps its own, so a cannot have that.
    @Test func `a refused change keeps its claims from others`() throws {
        let inForce = try ["ap", "bq", "cr"].map { try Self.manifest(String($0.first!), paths: String($0.last!)) }
        let changed = [try Self.manifest("a", paths: "q"), try Self.manifest("b", paths: "r"), inForce[2]]
        let choice = Self.choose(changed, after: inForce)
        #expect(choice.manifests.sorted { $0.name < $1.name } == inForce)
        #expect(Set(choice.refused.map(\.manifest.name)) == ["a", "b"] && choice.refused.count == 2)
    }

    @Test func `of a folder that cannot be read all plugins stay`() throws {
        let inForce = [try Self.manifest("a", paths: "p"), try Self.manifest("b", paths: "q")]
        let rejection = FileRejection(file: "/plugins.d", reason: "cannot be read")
        let scan = PluginFolder.Scan(rejections: [rejection], isComplete: false)
        #expect(PluginChoice(scan, after: inForce).manifests == inForce)
    }

    /// Random changes of a folder. After each, no two manifests in force claim the same; an unchanged or invalid file changes
    /// nothing for its plugin; and every refused manifest has a reason that is true.
    @Test(arguments: 1...ModelSeeds.count(usual: 300))
    func `after any changes the manifests in force agree, and stay where they can`(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let names = ["a", "b", "c", "d", "e"]
        var (files, inForce) = ([String: PluginManifest?](), [PluginManifest]())
        for step in 0..<30 {
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let name = names.randomElement(using: &random)!
                switch Int.random(in: 0..<6, using: &random) {
                case 0: files[name] = nil
                case 1: files[name] = .some(nil)
                default:
                    let paths = "pqr".filter { _ in Bool.random(using: &random) }
                    let adds = "xy".filter { _ in Bool.random(using: &random) }
                    let socket = Bool.random(using: &random) ? "x.sock" : "y.sock"
                    files[name] = try Self.manifest(name, paths: paths, adds: adds, socket: socket)
                }
            }
            let valid = files.keys.sorted().compactMap { files[$0] ?? nil }
            let invalid = files.keys.filter { files[$0] == .some(nil) }
            let choice = Self.choose(valid, invalid: invalid, after: inForce)
            let state = "seed \(seed), step \(step): \(files), \(inForce) -> \(choice)"
            for (index, manifest) in choice.manifests.enumerated() {
                let others = choice.manifests.enumerated().filter { $0.offset != index }.map(\.element)
                #expect(
                    manifest.conflict(with: others) == nil && !others.map(\.name).contains(manifest.name), "\(state)")
                #expect(files[manifest.name] != nil, "\(state)")
            }
            for known in inForce {
                guard let file = files[known.name] else { continue }
                // Only a valid change replaces it.
                let now = choice.manifests.filter { $0.name == known.name }
                #expect(now == [known] || file != nil && now == [file], "\(state)")
            }
            for (manifest, _) in choice.refused {
                let others = choice.manifests.filter { $0.name != manifest.name }
                #expect(manifest.conflict(with: others) != nil, "\(state)")
            }
            let decided = Set(choice.manifests.map(\.name) + choice.refused.map(\.manifest.name))
            #expect(Set(valid.map(\.name)).subtracting(decided).isEmpty, "\(state)")
            #expect(choice.refused.count == Set(choice.refused.map(\.manifest.name)).count, "\(state)")
            let again = Self.choose(valid, invalid: invalid, after: choice.manifests)
            #expect(
                again.manifests.sorted { $0.name < $1.name } == choice.manifests.sorted { $0.name < $1.name },
                "\(state)")
            #expect(again.refused.map(\.manifest) == choice.refused.map(\.manifest), "\(state)")
            inForce = choice.manifests
        }
    }
}
