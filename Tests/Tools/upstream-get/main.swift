import Upstream

// upstream-get URL…: fetches the URLs one after the other with one client and default settings. Prints a line for each: the
// status and the body, or the error.
let client = UpstreamClient()
for url in CommandLine.arguments.dropFirst() {
    do throws(UpstreamError) {
        let response = try await client.get(UpstreamRequest(url: url))
        print(response.status, String(decoding: response.body, as: UTF8.self))
    } catch {
        print("error:", error)
    }
}
await client.shutdown()
