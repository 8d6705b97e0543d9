import ServiceKit
import Testing

@Suite struct StoreOptionsTests {
    @Test(arguments: [
        ([], false), (["--strict-store"], true), (["--strict-store=true"], true), (["--strict-store=false"], false),
        (["--strict-store", "false"], false),
    ])
    func `a service runs without its store, unless the option says otherwise`(
        arguments: [String], isStrict: Bool
    ) throws {
        #expect(try StoreOptions.parse(arguments).isStrict == isStrict)
    }

    @Test func `a new store needs the option`() throws {
        #expect(try StoreOptions.parse([]).isNew == false)
        #expect(try StoreOptions.parse(["--new-store"]).isNew)
    }

    @Test func `any other value is a usage error`() {
        #expect(throws: (any Error).self) { try StoreOptions.parse(["--strict-store=perhaps"]) }
    }
}
