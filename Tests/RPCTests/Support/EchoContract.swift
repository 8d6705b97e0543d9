import RPC

/// A contract for trying the runtime.
enum EchoContract {
    struct Text: Sendable, Equatable {
        var text: String
        var count: Int?

        static let shape = Shape<Text>.object { object in
            let text = object.required("text", .string, \.text)
            let count = object.optional("count", .integer(1...100), \.count)
            return { members throws(JSONError) in Text(text: try members[text], count: try members[count]) }
        }
    }

    static let echo = Method("echo.say", "Say it again.", params: Text.shape, answer: Text.shape)
    static let fail = Method("echo.fail", "Fail.", params: Text.shape, answer: Text.shape, errors: [.notFound])

    static let contract = Contract(name: "echo", version: 1, methods: [echo.description, fail.description])

    static var table: MethodTable {
        var table = MethodTable(contract)
        table.handle(echo) { params, _ in params }
        return table
    }
}
