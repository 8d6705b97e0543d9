import Testing

@testable import gateway

@Suite struct PagerTests {
    @Test(
        arguments: [
            (["PAGER": "most"], "most"), (["PAGER": ""], nil), (["PAGER": "cat"], nil), (["PATH": "/a:/b"], "less"),
            (["PATH": "/a"], nil), ([:], nil),
        ] as [([String: String], String?)])
    func `the pager is PAGER, or less where it is installed`(environment: [String: String], command: String?) {
        #expect(Pager.command(environment) { $0 == "/b/less" } == command)
    }

    @Test(arguments: [("", 0), ("a\n", 1), ("a\nb\n", 2), ("aaaaa\n", 1), ("aaaaaa\n", 2), ("\n\n", 2), ("漢漢漢\n", 2)])
    func `a line that is wider than the screen needs more rows`(text: String, rows: Int) {
        #expect(Pager.rows(of: text, columns: 5) == rows)
    }
}
