import RPCTestKit
import Testing

@testable import Upstream

extension UpstreamSettings {
    /// Settings that trust the servers of a test, by their addresses and by these names.
    static func trusting(_ servers: OriginServer..., names: String...) throws -> UpstreamSettings {
        var settings = UpstreamSettings()
        for server in servers {
            settings.trusted.insert(try UpstreamEndpoint(server.authority))
            for name in names { settings.trusted.insert(try UpstreamEndpoint("\(name):\(server.port)")) }
        }
        return settings
    }
}

/// Runs `body` with a client, and shuts it down.
/// - Parameters:
///   - addresses: the addresses by name. They replace the system's resolver; other names do not exist.
///   - clock: by default no time passes.
func withClient<Result: Sendable>(
    _ settings: UpstreamSettings = UpstreamSettings(), addresses: [String: [String]] = [:],
    clock: ManualClock = ManualClock(), _ body: (UpstreamClient) async throws -> Result
) async throws -> Result {
    let client = UpstreamClient(settings, clock: clock) { name in
        guard let texts = addresses[name] else { return .failure(SystemLookup.Failure(reason: "no such name")) }
        return .success(texts.compactMap(IPAddress.init(text:)))
    }
    do {
        let result = try await body(client)
        await client.shutdown()
        return result
    } catch {
        await client.shutdown()
        throw error
    }
}

extension IPAddress {
    /// Parses an address in its usual spelling.
    init?(text: String) {
        if text.contains(":") {
            self.init(v6: text[...])
        } else {
            self.init(text.split(separator: ".").compactMap { UInt8($0) })
        }
    }
}

extension UpstreamClient {
    /// The error of a request.
    func failure(_ request: UpstreamRequest) async throws -> UpstreamError {
        let response: UpstreamResponse
        do throws(UpstreamError) {
            response = try await get(request)
        } catch {
            return error
        }
        throw NoFailure(response: response)
    }

    func failure(_ url: String) async throws -> UpstreamError { try await failure(UpstreamRequest(url: url)) }

    func get(_ url: String) async throws(UpstreamError) -> UpstreamResponse { try await get(UpstreamRequest(url: url)) }

    /// A request succeeded that should have failed.
    struct NoFailure: Error {
        let response: UpstreamResponse
    }
}

extension UpstreamError {
    /// The violated rule.
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }

    var isMalformed: Bool { if case .malformed = self { true } else { false } }

    var isTLS: Bool { if case .tls = self { true } else { false } }

    var isInterrupted: Bool { if case .interrupted = self { true } else { false } }

    var isCancelled: Bool { if case .cancelled = self { true } else { false } }

    var isOverloaded: Bool { if case .overloaded = self { true } else { false } }

    var isUnreachable: Bool { if case .unreachable = self { true } else { false } }

    /// The exceeded time limit.
    var stage: Stage? { if case .timedOut(let stage, _, _) = self { stage } else { nil } }

    /// The part that was too large.
    var part: Part? { if case .tooLarge(let part, _) = self { part } else { nil } }

    /// The refused address.
    var refusedAddress: String? { if case .address(let address, _, _)? = refusal { address } else { nil } }
}

extension UpstreamResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
