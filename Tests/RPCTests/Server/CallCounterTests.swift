import Testing

@testable import RPC

@Suite struct CallCounterTests {
    @Test func `names from outside are counted together, however many there are`() {
        var counter = CallCounter(EchoContract.table)
        for number in 0..<10_000 {
            counter.refuse("stranger\(number).method", .methodNotFound)
            counter.refuse("nothing\(number)", .methodNotFound)
        }
        #expect(counter.methods.keys.sorted() == ["other"])
        #expect(counter.methods["other"]?.calls == 20_000)
        #expect(counter.methods["other"]?.errors == ["method_not_found": 20_000])
    }

    @Test func `what is forwarded is counted by service, for so many services`() {
        var table = EchoContract.table
        table.isForwarded = { $0.hasPrefix("plugin") }
        var counter = CallCounter(table)
        for number in 0..<257 {
            for verb in ["a", "b", ""] { counter.end(counter.begin("plugin\(number).\(verb)"), nil) }
        }
        #expect(counter.methods.count == 257)
        #expect(counter.methods["plugin0.*"]?.calls == 3 && counter.methods["plugin255.*"]?.calls == 3)
        #expect(counter.methods["other"]?.calls == 3)
    }

    @Test func `methods of the table are counted by name`() {
        var counter = CallCounter(EchoContract.table)
        let ticket = counter.begin("echo.say")
        #expect(counter.methods["echo.say"]?.underWay == 1)
        counter.end(ticket, .notFound)
        counter.end(counter.begin("echo.say"), nil)
        #expect(counter.methods.keys.sorted() == ["echo.say"])
        #expect(counter.methods["echo.say"]?.calls == 2 && counter.methods["echo.say"]?.underWay == 0)
        #expect(counter.methods["echo.say"]?.errors == ["not_found": 1])
        #expect(counter.methods["echo.say"]?.latency.count == 2)
    }
}
