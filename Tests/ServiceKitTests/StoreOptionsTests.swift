import ServiceKit
import Testing

@Suite struct StoreOptionsTests {
    @Test(arguments: [
        ([], true, false), (["--strict-store"], true, true), (["--strict-store=true"], true, true),
        (["--strict-store=false"], false, false), (["--strict-store", "false"], false, false),
    ])
    func `an authority requires its store and an edge does not, unless the option says otherwise`(
        arguments: [String], authority: Bool, edge: Bool
    ) throws {
        let options = try StoreOptions.parse(arguments)
        #expect(options.isRequired(isEdge: false) == authority)
        #expect(options.isRequired(isEdge: true) == edge)
    }

    @Test func `a new store needs the option`() throws {
        #expect(try StoreOptions.parse([]).isNew == false)
        #expect(try StoreOptions.parse(["--new-store"]).isNew)
    }

    @Test func `any other value is a usage error`() {
        #expect(throws: (any Error).self) { try StoreOptions.parse(["--strict-store=perhaps"]) }
    }
}
