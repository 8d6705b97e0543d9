/// A request that an `OriginServer` received.
public struct OriginRequest: Sendable {
    /// The index of its connection, and the index of the request on that connection. Both start at 0.
    public let connection: Int
    public let number: Int

    public let method: String
    public let target: String

    /// The headers in the received order.
    public let headers: [(name: String, value: String)]

    /// The path without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The first value of this name, case-insensitive.
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
