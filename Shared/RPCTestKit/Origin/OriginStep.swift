/// One step of an `OriginServer`'s answer to a request.
public enum OriginStep: Sendable {
    case send([UInt8])
    /// Sends in pieces of this many bytes, each in its own turn of the event loop.
    case drip([UInt8], pieces: Int)
    /// Waits until the function returns. The connection may close earlier, which cancels the function's task.
    case wait(@Sendable () async -> Void)
    /// Waits, in milliseconds.
    case pause(Int64)
    /// Stops answering and leaves the connection open.
    case stall
    case close
    /// Resets the connection (RST).
    case reset

    /// Sends text unchanged.
    public static func send(_ text: String) -> OriginStep { .send(Array(text.utf8)) }

    /// A complete response with a Content-Length.
    public static func response(
        _ status: Int = 200, _ headers: [(String, String)] = [], body: [UInt8] = []
    ) -> OriginStep {
        var text = "HTTP/1.1 \(status) Whatever\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return .send(Array((text + "\r\n").utf8) + body)
    }

    /// A complete response with a text as its body.
    public static func response(_ status: Int = 200, _ headers: [(String, String)] = [], text: String) -> OriginStep {
        response(status, headers, body: Array(text.utf8))
    }

    /// A redirect.
    public static func redirect(_ status: Int = 302, to location: String) -> OriginStep {
        response(status, [("Location", location)])
    }
}
