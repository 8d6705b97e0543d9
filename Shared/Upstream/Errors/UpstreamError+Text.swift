extension UpstreamError: CustomStringConvertible {
    /// What was wrong and what can be done about it, for people.
    public var description: String {
        switch self {
        case .refused(let refusal): "\(refusal)"
        case .unreachable(let host, let reason): "\(host) cannot be reached: \(reason)"
        case .timedOut(let stage, let limit, _): "\(stage.description) within \(limit.formatted)"
        case .tooLarge(let part, let limit): "\(part.description) more than the limit of \(limit) bytes"
        case .malformed(let reason): "the answer is no proper HTTP response: \(reason)"
        case .interrupted(_, let reason): "the answer was cut off: \(reason)"
        case .pinMismatch(let host):
            "\(host) has a valid certificate, but its key is not pinned: if it was renewed with another key, give the new "
                + "one with --pin"
        case .tls(let host, let reason): "no secure connection to \(host): \(reason)"
        case .tooManyRedirects(let limit): "there were more than \(limit) redirects"
        case .overloaded(let reason): "too much at once: \(reason)"
        case .cancelled: "the request was cancelled"
        case .shutDown: "the HTTP client was shut down"
        }
    }
}

extension UpstreamError {
    /// What was wrong, in general words, for callers: it names neither an address nor a host, because a caller who may
    /// choose the URL could read from them what the names of this network lead to. The log has `description`.
    public var summary: String {
        switch self {
        case .refused(let refusal): "the URL, or one that it redirects to, is refused: \(refusal.summary)"
        case .unreachable: "the server cannot be reached"
        case .interrupted: "the answer was cut off"
        case .malformed: "the answer is no proper HTTP response"
        case .pinMismatch, .tls: "there is no secure connection to the server"
        case .overloaded: "too much is fetched at once"
        case .timedOut, .tooLarge, .tooManyRedirects, .cancelled, .shutDown: description
        }
    }
}

extension UpstreamError.Stage {
    fileprivate var description: String {
        switch self {
        case .connect: "there was no connection"
        case .firstByte: "there was no answer"
        case .stall: "nothing more of the answer came"
        case .total: "the answer was not complete"
        }
    }
}

extension UpstreamError.Part {
    fileprivate var description: String {
        switch self {
        case .header: "the header of the answer has"
        case .declaredBody: "the answer says that its body has"
        case .body: "the body of the answer has"
        case .inflatedBody: "the body of the answer has, when it is inflated,"
        }
    }
}

extension Duration {
    /// `5 s`, `0.25 s`.
    fileprivate var formatted: String {
        let seconds = Double(components.seconds) + Double(components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
