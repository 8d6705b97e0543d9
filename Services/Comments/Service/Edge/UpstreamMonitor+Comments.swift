import EdgeKit
import Foundation
import Upstream

extension UpstreamMonitor {
    /// Runs an upstream request for the comments of an image, and reports its outcome.
    func watching<Result: Sendable>(_ imageID: UUID, _ body: () async throws -> Result) async throws -> Result {
        let subject = "the comments of \(imageID.uuidString)"
        do {
            let result = try await body()
            answered(subject)
            return result
        } catch let failure as RemoteFailure {
            switch failure {
            // 404 is a valid answer of a reachable upstream.
            case .notFound: answered(subject)
            case .late(let spent) where !spent.isFair: break
            case .late(let spent): failed(subject, .absent("\(spent)"))
            case .unreachable(let reason): failed(subject, .absent(reason))
            case .rejected(let reason): failed(subject, .rejected(reason))
            }
            throw failure
        }
    }
}
