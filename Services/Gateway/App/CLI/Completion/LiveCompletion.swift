import ArgumentParser
import FeedContract
import Foundation
import JSON
import RPC
import ServiceKit

/// Completions that only the running gateway knows. Without a gateway, or when it is slow, there are none.
struct LiveCompletion: Sendable {
    let client: RPCClient

    /// How long the shell may wait for a gateway that is busy, in seconds. Usually the answer takes some milliseconds.
    static let timeout = 2.0

    /// - Parameter words: the command line, which may name the deployment.
    /// - Returns: lines for the shell that asks.
    static func lines(
        _ words: [String], _ complete: @escaping @Sendable (LiveCompletion) async throws -> [CompletionWord]
    ) async -> [String] {
        do {
            let path = try SocketPath(socket(words))
            let found = try await RPCClient.withConnection(
                to: path, as: "gateway-completion", peers: .owner(ofDirectoryOf: path)
            ) { try await complete(LiveCompletion(client: $0)) }
            return CompletionWord.safe(found).map { $0.line(for: .requesting) }
        } catch {
            // A shell cannot show an error during completion. The command itself reports it.
            return []
        }
    }

    /// The socket that the words select with --socket or --root.
    static func socket(_ words: [String]) -> String {
        let options = ClientOptionWords(words)
        return options["--socket"] ?? (options["--root"].map(Root.init) ?? .standard()).socket("gateway")
    }

    /// The ids that begin with the typed text; with fewer than four characters, those of the newest images.
    func ids(beginning typed: String) async throws(RPCError) -> [CompletionWord] {
        if let prefix = IDPrefix(typed) {
            return try await client.call(FeedContract.find, FindItems(prefix: prefix), Self.options).items
                .map(Self.word)
        }
        let newest = try await client.call(
            FeedContract.load, LoadFeed(limit: LoadFeed.limits.upperBound), Self.options)
        let matching = newest.items.filter { $0.id.uuidString.hasPrefix(typed.uppercased()) }
        // A shell inserts an id without asking if it is the only one. An older image may have the same beginning.
        let isUnsure = matching.count == 1 && newest.nextAfterID != nil
        return isUnsure ? [] : matching.map(Self.word)
    }

    private static func word(of item: FeedItem) -> CompletionWord {
        CompletionWord(word: item.id.uuidString, summary: item.description ?? item.location)
    }

    func methods() async throws(RPCError) -> [CompletionWord] {
        try await descriptions().map { CompletionWord(word: $0.name, summary: $0.summary) }
    }

    func services() async throws(RPCError) -> [CompletionWord] {
        var names: [String] = []
        for method in try await descriptions() {
            let name = String(method.name.prefix { $0 != "." })
            if !names.contains(name) { names.append(name) }
        }
        return names.map { CompletionWord(word: $0) }
    }

    /// The plugins that `verify` can find by their manifests.
    func plugins() async throws(RPCError) -> [CompletionWord] { try await services().filter { $0.word != "gateway" } }

    /// The keys of the parameters of the method among the words, and after a key its values.
    /// - Parameter index: the position of the word to complete.
    func parameters(
        of words: [String], at index: Int, completing prefix: String
    ) async throws(RPCError) -> [CompletionWord] {
        guard let method = try await descriptions().first(where: { words.contains($0.name) }) else { return [] }
        let keys = ParameterKeys(method: method, words: words, index: index)
        // bash splits words at the equals sign.
        for place in [index - 1, index] where place >= 1 && place < words.count && words[place] == "=" {
            let typed = place == index ? "" : prefix
            return try await values(of: words[place - 1], keys, beginning: typed).map {
                CompletionWord(word: $0.word, summary: $0.summary)
            }
        }
        guard let equals = prefix.firstIndex(of: "=") else { return keys.offered(completing: prefix) }
        let typed = String(prefix[equals...].dropFirst())
        return try await values(of: String(prefix[..<equals]), keys, beginning: typed).map {
            CompletionWord(word: prefix[...equals] + $0.word, summary: $0.summary)
        }
    }

    private func values(
        of key: String, _ keys: ParameterKeys, beginning typed: String
    ) async throws(RPCError) -> [CompletionWord] {
        keys.takesImageID(key)
            ? try await ids(beginning: typed) : keys.choices(of: key).map { CompletionWord(word: $0) }
    }

    private func descriptions() async throws(RPCError) -> [MethodDescription] {
        try await client.call(ProtocolMethods.describe, ServiceSelection(), Self.options).contracts.flatMap(\.methods)
    }

    private static var options: CallOptions { CallOptions(timeout: .nanoseconds(Int64(timeout * 1e9))) }
}

/// The values of options among the words of an unfinished command line.
struct ClientOptionWords {
    private let words: [String]

    init(_ words: [String]) { self.words = words }

    subscript(_ name: String) -> String? {
        if let index = words.firstIndex(of: name), index + 1 < words.count { return words[index + 1] }
        return words.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}

extension CompletionKind {
    /// The ids of images.
    static var imageIDs: CompletionKind {
        .custom { @Sendable words, _, prefix async in
            await LiveCompletion.lines(words) { try await $0.ids(beginning: prefix) }
        }
    }

    static var services: CompletionKind {
        .custom { @Sendable words, _, _ async in await LiveCompletion.lines(words) { try await $0.services() } }
    }

    static var plugins: CompletionKind {
        .custom { @Sendable words, _, _ async in await LiveCompletion.lines(words) { try await $0.plugins() } }
    }

    static var methods: CompletionKind {
        .custom { @Sendable words, _, _ async in await LiveCompletion.lines(words) { try await $0.methods() } }
    }

    /// Services and methods.
    static var subjects: CompletionKind {
        .custom { @Sendable words, _, _ async in
            await LiveCompletion.lines(words) { try await $0.services() + $0.methods() }
        }
    }

    /// Keys of the parameters of the method.
    static var parameters: CompletionKind {
        .custom { @Sendable words, index, prefix async in
            await LiveCompletion.lines(words) { try await $0.parameters(of: words, at: index, completing: prefix) }
        }
    }
}
