import HTTPTypes
import RPC

extension API {
    /// Answers with the changes of a service as server-sent events.
    func stream<Event>(_ events: ServerEvents<Event>, _ request: HTTPRequest) throws(RPCError) -> HTTPAnswer {
        var answer = HTTPAnswer(.ok)
        answer.fields[.contentType] = "text/event-stream"
        // Proxies that compress would hold the events back.
        answer.fields[.cacheControl] = "no-store, no-transform"
        // nginx would otherwise buffer the events.
        answer.fields["X-Accel-Buffering"] = "no"
        guard request.method != .head else { return answer }
        answer.events = try events.reader(after: request.headerFields["Last-Event-ID"], at: publicURL)
        return answer
    }
}
