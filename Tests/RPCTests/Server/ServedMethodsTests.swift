import Testing

@testable import RPC

@Suite struct ServedMethodsTests {
    @Test func `all unknown names are counted together`() {
        let methods = ServedMethods(EchoContract.table)
        for number in 0..<10_000 {
            methods["stranger\(number).method"].refuse(.methodNotFound, at: .distantPast)
            methods["nothing\(number)"].refuse(.methodNotFound, at: .distantPast)
        }
        #expect(methods.statistics(at: .distantPast).keys.sorted() == ["other"])
        #expect(methods.statistics(at: .distantPast)["other"]?.sinceStart.calls == 20_000)
        #expect(methods.statistics(at: .distantPast)["other"]?.sinceStart.errors == ["method_not_found": 20_000])
    }

    @Test func `forwarded calls are counted by service, up to a maximum number of services`() {
        var table = EchoContract.table
        table.isForwarded = { $0.hasPrefix("plugin") }
        let methods = ServedMethods(table)
        for number in 0..<257 {
            for verb in ["a", "b", ""] {
                let method = methods["plugin\(number).\(verb)"]
                method.begin()
                method.end(nil, latency: nil, at: .distantPast)
            }
        }
        #expect(methods.statistics(at: .distantPast).count == 257)
        #expect(
            methods.statistics(at: .distantPast)["plugin0.*"]?.sinceStart.calls == 3
                && methods.statistics(at: .distantPast)["plugin255.*"]?.sinceStart.calls == 3)
        #expect(methods.statistics(at: .distantPast)["other"]?.sinceStart.calls == 3)
    }

    @Test func `methods of the table are counted by name`() {
        let methods = ServedMethods(EchoContract.table)
        let method = methods["echo.say"]
        method.begin()
        #expect(methods.statistics(at: .distantPast)["echo.say"]?.underWay == 1)
        method.end(.notFound, latency: .zero, at: .distantPast)
        method.begin()
        method.end(nil, latency: .zero, at: .distantPast)
        #expect(methods.statistics(at: .distantPast).keys.sorted() == ["echo.say"])
        #expect(
            methods.statistics(at: .distantPast)["echo.say"]?.sinceStart.calls == 2
                && methods.statistics(at: .distantPast)["echo.say"]?.underWay == 0)
        #expect(methods.statistics(at: .distantPast)["echo.say"]?.sinceStart.errors == ["not_found": 1])
        #expect(methods.statistics(at: .distantPast)["echo.say"]?.sinceStart.latency.count == 2)
    }
}
