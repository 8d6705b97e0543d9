import Testing

@testable import RPC

@Suite struct ServedMethodsTests {
    @Test func `all unknown names are counted together`() {
        let methods = ServedMethods(EchoContract.table)
        for number in 0..<10_000 {
            methods["stranger\(number).method"].refuse(.methodNotFound)
            methods["nothing\(number)"].refuse(.methodNotFound)
        }
        #expect(methods.statistics.keys.sorted() == ["other"])
        #expect(methods.statistics["other"]?.calls == 20_000)
        #expect(methods.statistics["other"]?.errors == ["method_not_found": 20_000])
    }

    @Test func `forwarded calls are counted by service, up to a maximum number of services`() {
        var table = EchoContract.table
        table.isForwarded = { $0.hasPrefix("plugin") }
        let methods = ServedMethods(table)
        for number in 0..<257 {
            for verb in ["a", "b", ""] {
                let method = methods["plugin\(number).\(verb)"]
                method.begin()
                method.end(nil, latency: nil)
            }
        }
        #expect(methods.statistics.count == 257)
        #expect(methods.statistics["plugin0.*"]?.calls == 3 && methods.statistics["plugin255.*"]?.calls == 3)
        #expect(methods.statistics["other"]?.calls == 3)
    }

    @Test func `methods of the table are counted by name`() {
        let methods = ServedMethods(EchoContract.table)
        let method = methods["echo.say"]
        method.begin()
        #expect(methods.statistics["echo.say"]?.underWay == 1)
        method.end(.notFound, latency: .zero)
        method.begin()
        method.end(nil, latency: .zero)
        #expect(methods.statistics.keys.sorted() == ["echo.say"])
        #expect(methods.statistics["echo.say"]?.calls == 2 && methods.statistics["echo.say"]?.underWay == 0)
        #expect(methods.statistics["echo.say"]?.errors == ["not_found": 1])
        #expect(methods.statistics["echo.say"]?.latency.count == 2)
    }
}
