extension UpstreamError: CustomStringConvertible {
    /// The reason and the remedy, for the operator.
    public var description: String {
        switch self {
        case .refused(let refusal): "\(refusal)"
        case .unreachable(let host, let reason): "\(host) cannot be reached: \(reason)"
        case .timedOut(let stage, let limit, _): "\(stage.description) within \(limit.formatted)"
        case .tooLarge(let part, let limit): "\(part.description) more than the limit of \(limit) bytes"
        case .malformed(let reason): "the response is not valid HTTP: \(reason)"
        case .interrupted(_, let reason): "the response was cut off: \(reason)"
        case .pinMismatch(let host):
            "\(host) has a valid certificate, but its key is not pinned: if it was renewed with another key, set the "
                + "new one with --pin"
        case .tls(let host, let reason): "no secure connection to \(host): \(reason)"
        case .tooManyRedirects(let limit): "there were more than \(limit) redirects"
        case .overloaded(let reason): "too many requests at once: \(reason)"
        case .cancelled: "the request was cancelled"
        case .shutDown: "the HTTP client was shut down"
        }
    }
}

extension UpstreamError {
    /// The reason in general terms, for callers. It names neither an address nor a host: a caller that chooses the URL could
    /// use them to explore this network. The log has `description`.
    public var summary: String {
        switch self {
        case .refused(let refusal): "the URL, or one that it redirects to, is refused: \(refusal.summary)"
        case .unreachable: "the server cannot be reached"
        case .interrupted: "the response was cut off"
        case .malformed: "the response is not valid HTTP"
        case .pinMismatch, .tls: "there is no secure connection to the server"
        case .overloaded: "too many requests at once"
        case .timedOut, .tooLarge, .tooManyRedirects, .cancelled, .shutDown: description
        }
    }
}

extension UpstreamError.Stage {
    fileprivate var description: String {
        switch self {
        case .connect: "there was no connection"
        case .firstByte: "there was no response"
        case .stall: "the response made no progress"
        case .total: "the response was not complete"
        }
    }
}

extension UpstreamError.Part {
    fileprivate var description: String {
        switch self {
        case .header: "the response header has"
        case .declaredBody: "the response declares a body of"
        case .body: "the response body has"
        case .inflatedBody: "the decompressed response body has"
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
