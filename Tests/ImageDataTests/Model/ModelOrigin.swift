import EdgeModel
import Foundation
import ImageData
import RPCTestKit
import Timing

@testable import image_data_service

/// The origin servers of the model. Each request waits until the model answers it.
final class ModelOrigin: Sendable {
    /// A request and its outcome.
    struct Request: Sendable {
        let number: Int
        let asked: image_data_service.OriginRequest

        /// The version of the image when the request arrived.
        let version: Int

        /// The step at which its fetch began, and the step at which the request ended; nil while it waits.
        let fetchBegun: Int
        var ended: Int?

        /// Whether its answer was a complete image or `304 Not Modified`.
        var isGood = false
    }

    private struct State {
        var step = 0
        var versions: [String: Int] = [:]
        var lastVersion = 0
        var requests: [Request] = []
        var waiting: [Int: UnsafeContinuation<Result<UpstreamAnswer, any Error>, Never>] = [:]

        /// The fetches in progress, by number.
        var fetches: [Int: (url: String, begun: Int)] = [:]
        var lastFetch = 0

        func fetches(of url: String, after step: Int) -> Int {
            fetches.values.count { $0.url == url && $0.begun > step }
        }

        mutating func change(_ url: String) {
            lastVersion += 1
            versions[url] = lastVersion
        }
    }

    private let state = Watched(State())

    var requests: [Request] { state.withLock(\.requests) }

    /// The waiting requests, the oldest first.
    var waiting: [Request] { state.withLock { state in state.requests.filter { state.waiting[$0.number] != nil } } }

    /// The numbers of the waiting requests.
    var waitingNumbers: Set<Int> { state.withLock { Set($0.waiting.keys) } }

    /// Waits until other requests wait than these.
    func wait(whileWaiting numbers: Set<Int>) async { await state.wait { Set($0.waiting.keys) != numbers } }

    func enter(step: Int) { state.withLock { $0.step = step } }

    /// Replaces the image at the URL.
    func change(_ url: String) { state.withLock { $0.change(url) } }

    /// The step at which the fetch of the current request began.
    @TaskLocal private static var fetchBegun = 0

    /// Records the fetches in progress.
    func watching(_ fetch: @escaping ImageFetches.Fetch) -> ImageFetches.Fetch {
        { url, destination in
            let (number, step) = self.state.withLock { state in
                state.lastFetch += 1
                state.fetches[state.lastFetch] = (url, state.step)
                return (state.lastFetch, state.step)
            }
            defer { self.state.withLock { $0.fetches[number] = nil } }
            return try await Self.$fetchBegun.withValue(step) { try await fetch(url, destination) }
        }
    }

    /// The number of fetches of a URL in progress that began after a step.
    func fetches(of url: String, after step: Int) -> Int {
        state.withLock { $0.fetches(of: url, after: step) }
    }

    /// Waits until this number fulfils the condition.
    func wait(forFetchesOf url: String, after step: Int, _ isSo: @escaping @Sendable (Int) -> Bool) async {
        await state.wait { isSo($0.fetches(of: url, after: step)) }
    }

    @Sendable func get(_ request: image_data_service.OriginRequest) async throws -> UpstreamAnswer {
        let number = state.withLock { state in
            if state.versions[request.url] == nil { state.change(request.url) }
            state.requests.append(
                Request(
                    number: state.requests.count, asked: request, version: state.versions[request.url] ?? 0,
                    fetchBegun: Self.fetchBegun))
            return state.requests.count - 1
        }
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isCancelled { continuation.resume(returning: .failure(CancellationError())) }
            }
        } onCancel: {
            end(number, .failure(CancellationError()))
        }
        return try outcome.get()
    }

    /// Answers a request.
    func answer(_ request: Request, _ behaviour: Behaviour) {
        let outcome = behaviour.outcome(for: request)
        state.withLock { $0.requests[request.number].isGood = behaviour.isGood }
        end(request.number, outcome)
    }

    private func end(_ number: Int, _ outcome: Result<UpstreamAnswer, any Error>) {
        let continuation = state.withLock { state in
            state.requests[number].ended = state.step
            return state.waiting.removeValue(forKey: number)
        }
        continuation?.resume(returning: outcome)
    }
}

extension ModelOrigin {
    /// The behaviours of an origin server.
    enum Behaviour: Sendable, CaseIterable {
        /// Correct HTTP, including conditions and ranges.
        case good, goodAndOld, goodWithoutValidators
        /// The connection is interrupted during the answer.
        case cut, cutWithoutValidators, cutAtOnce
        /// An incorrect range.
        case rangeOfAnotherPlace, rangeOfAnotherVersion, rangeNotAskedFor, notSatisfiable
        /// Another kind of answer.
        case notFound, failing, page, half, tooLarge, malformed
        /// No answer.
        case unreachable, forbidden, timedOut

        /// Correct HTTP in half of the cases, otherwise any behaviour.
        static func random(using random: inout SeededRandom) -> Behaviour {
            Bool.random(using: &random) ? .good : allCases.randomElement(using: &random) ?? .good
        }

        var isGood: Bool { [.good, .goodAndOld, .goodWithoutValidators].contains(self) }

        fileprivate func outcome(for request: Request) -> Result<UpstreamAnswer, any Error> {
            let body = picture(request.version)
            let tag = "\"\(request.version)\""
            let (half, first) = (body.prefix(body.count / 2), request.first(of: tag))
            switch self {
            case .good, .goodAndOld:
                let age = self == .good ? [] : [("Age", "86400")]
                if request["if-none-match"] == tag { return answer(304, age) }
                if let first, first < body.count {
                    let range = ("Content-Range", "bytes \(first)-\(body.count - 1)/\(body.count)")
                    return answer(206, [range, ("ETag", tag)] + age, body.dropFirst(first))
                }
                return answer(200, [("ETag", tag)] + age, body)
            case .goodWithoutValidators: return answer(200, [], body)
            case .cut: return answer(200, [("ETag", tag)], half, isComplete: false)
            case .cutWithoutValidators: return answer(200, [], half, isComplete: false)
            case .cutAtOnce: return answer(200, [("ETag", tag)], Data(), isComplete: false)
            case .rangeOfAnotherPlace:
                return answer(
                    206, [("Content-Range", "bytes 1-\(body.count - 1)/\(body.count)"), ("ETag", tag)], body.dropFirst()
                )
            case .rangeOfAnotherVersion:
                let place = first ?? half.count
                let range = ("Content-Range", "bytes \(place)-\(body.count - 1)/\(body.count)")
                return answer(206, [range, ("ETag", "\"other\"")], picture(request.version + 1_000).dropFirst(place))
            case .rangeNotAskedFor: return answer(206, [("ETag", tag)], body)
            case .notSatisfiable: return answer(416, [])
            case .notFound: return answer(404, [])
            case .failing: return answer(500, [], body)
            case .page: return answer(200, [], Data("<!doctype html>".utf8))
            case .half: return answer(200, [("ETag", tag)], half)
            case .tooLarge: return .failure(ImageOriginError.tooLarge(limit: 1))
            case .malformed: return .failure(ImageOriginError.malformed("no HTTP"))
            case .unreachable, .timedOut: return .failure(ImageOriginError.unreachable("\(self)"))
            case .forbidden: return .failure(ImageOriginError.forbidden("\(self)"))
            }
        }

        private func answer(
            _ status: Int, _ headers: [(name: String, value: String)], _ body: Data = Data(), isComplete: Bool = true
        ) -> Result<UpstreamAnswer, any Error> {
            .success(UpstreamAnswer(status: status, headers: headers, body: Data(body), isComplete: isComplete))
        }
    }
}

extension ModelOrigin.Request {
    fileprivate subscript(name: String) -> String? { asked.headers.first { $0.name.lowercased() == name }?.value }

    /// The start of the requested range; nil if it is for another version.
    fileprivate func first(of tag: String) -> Int? {
        guard self["if-range"] == tag, let range = self["range"] else { return nil }
        return Int(range.dropFirst("bytes=".count).dropLast())
    }
}
