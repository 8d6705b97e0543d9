import Foundation

extension Endpoint {
    /// A command that sends an example of the request. A token comes from the variable `TOKEN`.
    /// - Parameter id: the value of the path's variable part.
    func curl(at server: PublicURL, id: String) -> String {
        let query = parameters.compactMap { parameter in parameter.example.map { "\(parameter.name)=\($0)" } }
        let url = server.description + path.filled(with: id) + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
        var words = ["curl -sf"]
        if let body {
            words += [#"-H "Authorization: Bearer $TOKEN""#, "-H 'Content-Type: application/json'"]
            words.append("-d \("\(body.example)".shellWord)")
        }
        let type = answers.first?.contentType ?? ""
        if type == "text/event-stream" { words.append("-N") }
        if type.hasPrefix("image/") { words.append("-o picture.jpg") }
        return (words + [url.shellWord]).joined(separator: " ")
    }
}
