import JSON
import RPCTestKit
import Testing

struct UnionTests {
    // MARK: By JSON type

    private enum Value: Sendable, Equatable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case list([Value])
        case place(Place)

        struct Place: Sendable, Equatable {
            var name: String

            static let codec = Codec<Place>.object { object in
                let name = object.required("name", .trimmed(1...5), \.name)
                return { members throws(JSONError) in Place(name: try members[name]) }
            }
        }

        static let scalar = Codec<Value>.union { union in
            let text = union.alternative(.string, Value.text)
            let number = union.alternative(.number(0...1), Value.number)
            return { value in
                switch value {
                case .text(let value): text(value)
                case .number(let value): number(value)
                case .flag, .list, .place: text("")
                }
            }
        }

        static let codec = Codec<Value>.union { union in
            let text = union.alternative(.string, Value.text)
            let number = union.alternative(.number(), Value.number)
            let flag = union.alternative(.boolean, Value.flag)
            let list = union.alternative(.array(of: scalar), Value.list)
            let place = union.alternative(Place.codec, Value.place)
            return { value in
                switch value {
                case .text(let value): text(value)
                case .number(let value): number(value)
                case .flag(let value): flag(value)
                case .list(let value): list(value)
                case .place(let value): place(value)
                }
            }
        }
    }

    @Test(
        arguments: [
            (#""a""#, .text("a")), ("0.7", .number(0.7)), ("-3", .number(-3)), ("true", .flag(true)),
            ("false", .flag(false)), ("[]", .list([])), (#"["a",1]"#, .list([.text("a"), .number(1)])),
            (#"{"name":"Rio"}"#, .place(.init(name: "Rio"))),
        ] as [(String, Value)])
    private func `a value is read and written as the alternative of its JSON type`(text: String, value: Value) throws {
        #expect(try RawJSON(checking: text).read(as: Value.codec, refusingUnknownMembers: true) == value)
        #expect(RawJSON(value, as: Value.codec).description == text)
        let array = try RawJSON(checking: "[ \(text) , \(text) ]").read(as: .array(of: Value.codec))
        #expect(array == [value, value])
    }

    @Test func `a value of no alternative's type is refused with the list of types`() throws {
        for text in ["null", "true", "[]", "{}"] {
            let json = try RawJSON(checking: text)
            #expect(throws: JSONError.refused("must be a string or a number")) { try json.read(as: Value.scalar) }
        }
        let null = try RawJSON(checking: "null")
        #expect(
            throws: JSONError.refused("must be a string or a number or true or false or an array or an object")
        ) { try null.read(as: Value.codec) }
    }

    @Test(
        arguments: [
            (#"{"a":[1.5]}"#, "a[0]", "must be from 0 to 1, is 1.5"),
            (#"{"a":[0,true]}"#, "a[1]", "must be a string or a number"), (#"{"a":{}}"#, "a.name", "is missing"),
            (#"{"a":{"name":"a","b":1}}"#, "a.b", "is not a known member"),
        ])
    func `an error inside an alternative is reported with its path`(text: String, path: String, reason: String) throws {
        let json = try RawJSON(checking: text)
        #expect(throws: JSONError.mismatch(path: path, reason: reason)) {
            try json.read(as: .dictionary(of: Value.codec), refusingUnknownMembers: true)
        }
    }

    private struct Hit: Sendable, Equatable {
        var score: Double
        var value: Value?

        static let codec = Codec<Hit>.object { object in
            let score = object.required("score", .number(0...1), \.score)
            let value = object.optional("value", Value.scalar, \.value)
            return { members throws(JSONError) in Hit(score: try members[score], value: try members[value]) }
        }
    }

    @Test(
        arguments: [
            (#"{"score":0.7}"#, Hit(score: 0.7)), (#"{"score":1,"value":"a"}"#, Hit(score: 1, value: .text("a"))),
        ] as [(String, Hit)])
    private func `a member may be a number or a union`(text: String, hit: Hit) throws {
        #expect(try RawJSON(checking: text).read(as: Hit.codec, refusingUnknownMembers: true) == hit)
        #expect(RawJSON(hit, as: Hit.codec).description == text)
        #expect(try RawJSON(checking: #"{"score":1,"value":null}"#).read(as: Hit.codec) == Hit(score: 1))
    }

    @Test func `a union by type is described by its alternatives`() {
        #expect(
            Hit.codec.schema.closed.json.description == """
                {"type":"object","properties":{"score":{"type":"number","minimum":0,"maximum":1},\
                "value":{"anyOf":[{"oneOf":[{"type":"string"},{"type":"number","minimum":0,"maximum":1}]},\
                {"type":"null"}]}},"required":["score"],"additionalProperties":false}
                """)
    }

    // MARK: By a member

    private indirect enum Figure: Sendable, Equatable {
        case circle(Circle)
        case pair(Pair)
        case point(Point)

        struct Circle: Sendable, Equatable {
            var radius: Double

            static let codec = Codec<Circle>.object { object in
                let radius = object.required("radius", .number(0...10), \.radius)
                return { members throws(JSONError) in Circle(radius: try members[radius]) }
            }
        }

        struct Point: Sendable, Equatable {
            static let codec = Codec<Point>.object { _ in { _ in Point() } }
        }

        struct Pair: Sendable, Equatable {
            var first: Figure
            var second: Figure?

            static let codec = Codec<Pair>.object { object in
                let first = object.required("first", Figure.simple, \.first)
                let second = object.optional("second", Figure.simple, \.second)
                return { members throws(JSONError) in Pair(first: try members[first], second: try members[second]) }
            }
        }

        static let simple = Codec<Figure>.union(taggedBy: "kind") { union in
            let circle = union.alternative("circle", Circle.codec, Figure.circle)
            let point = union.alternative("a \"point\"", Point.codec, Figure.point)
            return { figure in
                switch figure {
                case .circle(let value): circle(value)
                case .point(let value): point(value)
                case .pair: point(Point())
                }
            }
        }

        static let codec = Codec<Figure>.union(taggedBy: "kind") { union in
            let circle = union.alternative("circle", Circle.codec, Figure.circle)
            let pair = union.alternative("pair", Pair.codec, Figure.pair)
            return { figure in
                switch figure {
                case .circle(let value): circle(value)
                case .pair(let value): pair(value)
                case .point: circle(Circle(radius: 0))
                }
            }
        }
    }

    @Test(
        arguments: [
            (#"{"kind":"circle","radius":1.5}"#, .circle(.init(radius: 1.5))),
            (
                #"{"kind":"pair","first":{"kind":"a \"point\""}}"#,
                .pair(.init(first: .point(.init())))
            ),
            (
                #"{"kind":"pair","first":{"kind":"circle","radius":0},"second":{"kind":"a \"point\""}}"#,
                .pair(.init(first: .circle(.init(radius: 0)), second: .point(.init())))
            ),
        ] as [(String, Figure)])
    private func `a value is read and written as the alternative of its tag`(text: String, value: Figure) throws {
        #expect(try RawJSON(checking: text).read(as: Figure.codec, refusingUnknownMembers: true) == value)
        #expect(RawJSON(value, as: Figure.codec).description == text)
        let twice = RawJSON([value, value], as: .array(of: Figure.codec))
        #expect(twice.description == "[\(text),\(text)]")
        #expect(try twice.read(as: .array(of: Figure.codec)) == [value, value])
    }

    @Test(arguments: [
        #"{"radius":2,"kind":"circle"}"#, #" { "radius" : 2 , "k\u0069nd" : "c\u0069rcle" } "#,
    ])
    func `the tag is read at any position and in any spelling`(text: String) throws {
        let figure = try RawJSON(checking: text).read(as: Figure.codec, refusingUnknownMembers: true)
        #expect(figure == .circle(.init(radius: 2)))
    }

    @Test(
        arguments: [
            ("{}", "kind", "is missing"), (#"{"kind":null}"#, "kind", "must be a string"),
            (#"{"kind":"square"}"#, "kind", "must be one of circle, pair"), ("[]", "", "must be an object"),
            (#"{"kind":"circle"}"#, "radius", "is missing"),
            (#"{"kind":"circle","radius":11}"#, "radius", "must be from 0 to 10, is 11"),
            (#"{"kind":"circle","radius":1,"Kind":"circle"}"#, "Kind", "is not a known member"),
            (#"{"kind":"pair","first":{"kind":"line"}}"#, "first.kind", #"must be one of circle, a "point""#),
            (#"{"kind":"pair","first":{"kind":"circle","radius":[]}}"#, "first.radius", "must be a number"),
            (
                #"{"kind":"pair","first":{"kind":"circle","radius":1,"x":1}}"#, "first.x",
                "is not a known member"
            ),
        ])
    func `an invalid tagged value is reported with its path`(text: String, path: String, reason: String) throws {
        let json = try RawJSON(checking: text)
        #expect(throws: JSONError.mismatch(path: path, reason: reason)) {
            try json.read(as: Figure.codec, refusingUnknownMembers: true)
        }
    }

    @Test func `unknown members of a tagged value are ignored, except in parameters`() throws {
        let json = try RawJSON(checking: #"{"new":{"kind":7},"kind":"circle","radius":1}"#)
        #expect(try json.read(as: Figure.codec) == .circle(.init(radius: 1)))
        #expect(throws: JSONError.mismatch(path: "new", reason: "is not a known member")) {
            try json.read(as: Figure.codec, refusingUnknownMembers: true)
        }
    }

    @Test func `a tagged union is described by its alternatives, each with its tag`() {
        #expect(
            Figure.simple.schema.closed.json.description == """
                {"oneOf":[{"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number",\
                "minimum":0,"maximum":10}},"required":["kind","radius"],"additionalProperties":false},\
                {"type":"object","properties":{"kind":{"const":"a \\"point\\""}},"required":["kind"],\
                "additionalProperties":false}]}
                """)
    }

    // MARK: Programming errors

    @Test func `two alternatives of the same JSON type are a programming error`() async {
        await #expect(processExitsWith: .failure) {
            beginOwnProcess()
            _ = Codec<Double>.union { union in
                let number = union.alternative(.number()) { $0 }
                _ = union.alternative(.integer(), Double.init)
                return { number($0) }
            }
        }
    }

    @Test func `an alternative of any type is a programming error`() async {
        await #expect(processExitsWith: .failure) {
            beginOwnProcess()
            _ = Codec<RawJSON>.union { union in
                let any = union.alternative(.any) { $0 }
                return { any($0) }
            }
        }
    }

    @Test func `a tagged alternative that is not an object codec is a programming error`() async {
        await #expect(processExitsWith: .failure) {
            beginOwnProcess()
            _ = Codec<[String: Int]>.union(taggedBy: "kind") { union in
                let counts = union.alternative("counts", .dictionary(of: .integer())) { $0 }
                return { counts($0) }
            }
        }
    }
}
