/// Parses `Accept-Encoding` (RFC 9110 §12.5.3).
enum AcceptEncoding {
    static func takesGzip(_ field: String) -> Bool {
        var named: Double?
        var others: Double?
        for part in field.lowercased().split(separator: ",") {
            let parts = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch name {
            case "gzip", "x-gzip": named = weight
            case "*": others = weight
            default: continue
            }
        }
        return (named ?? others ?? 0) > 0
    }
}
