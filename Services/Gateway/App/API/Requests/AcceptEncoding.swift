/// Parses `Accept-Encoding` (RFC 9110 §12.5.3).
enum AcceptEncoding {
    static func takesGzip(_ field: String) -> Bool {
        let list = WeightedList(field)
        return (list["gzip"] ?? list["x-gzip"] ?? list["*"] ?? 0) > 0
    }
}
