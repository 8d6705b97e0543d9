/// A request that has come to an `OriginServer`.
public struct OriginRequest: Sendable {
    /// Which of the server's connections it came on, and which request of that it is; both begin with 0.
    public let connection: Int
    public let number: Int

    public let method: String
    public let target: String

    /// In the order in which they came.
    public let headers: [(name: String, value: String)]

    /// Without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The first value of this name, whatever its case.
    public subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// - Parameter text: request line and headers.
    init(_ text: String, connection: Int, number: Int) {
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        self.connection = connection
        self.number = number
        method = words.first.map(String.init) ?? ""
        target = words.dropFirst().first.map(String.init) ?? ""
        headers = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
    }
}
