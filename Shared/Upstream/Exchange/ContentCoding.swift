/// The compression of a body.
enum ContentCoding: Equatable {
    case identity, gzip, deflate

    /// - Parameter values: the values of all Content-Encoding headers.
    /// - Throws: `malformed` for a coding that the request does not accept, and for more than one coding.
    init(_ values: [String]) throws(UpstreamError) {
        let names = values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { $0.lowercased().trimming() }
            .filter { $0 != "identity" }
        switch names {
        case []: self = .identity
        case ["gzip"], ["x-gzip"]: self = .gzip
        case ["deflate"]: self = .deflate
        default:
            throw .malformed(
                "its Content-Encoding is \"\(names.joined(separator: ", ").prefix(80))\", not gzip or deflate")
        }
    }
}

extension String {
    fileprivate func trimming() -> String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
