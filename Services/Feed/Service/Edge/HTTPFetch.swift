import Foundation

/// GETs a URL. Any status is an answer; it throws when there is none.
typealias HTTPFetch =
    @Sendable (_ url: String, _ headers: [(name: String, value: String)]) async throws -> HTTPAnswer

struct HTTPAnswer: Sendable {
    let status: Int

    /// In the order in which they came.
    var headers: [(name: String, value: String)] = []
    var body = Data()

    /// All values of a header.
    func all(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
