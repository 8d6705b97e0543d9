import Foundation

/// GETs a URL. It returns an answer of any status, and throws when there is no answer.
typealias HTTPFetch =
    @Sendable (_ url: String, _ headers: [(name: String, value: String)]) async throws -> HTTPAnswer

struct HTTPAnswer: Sendable {
    let status: Int

    /// In the order received.
    var headers: [(name: String, value: String)] = []
    var body = Data()

    /// All values of a header.
    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
