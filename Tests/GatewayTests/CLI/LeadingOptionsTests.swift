import Testing

@testable import gateway

@Suite struct LeadingOptionsTests {
    @Test(arguments: [
        ("--root /tmp feed --limit 3", "feed --root /tmp --limit 3"), ("--root=feed feed", "feed --root=feed"),
        ("--root feed watch", "watch --root feed"), ("--json call feed.load a=1", "call --json feed.load a=1"),
        ("-v --color never --socket /s stats", "stats -v --color never --socket /s"),
        ("--json nonsense", "nonsense --json"),
    ])
    func `options before the subcommand move behind it`(arguments: String, moved: String) {
        #expect(LeadingOptions.moved(words(arguments)) == words(moved))
    }

    @Test(arguments: [
        "feed --root /tmp", "--nonsense feed", "--root", "--root /tmp", "--json", "--help", "--json --help", "",
    ])
    func `other arguments are unchanged`(arguments: String) {
        #expect(LeadingOptions.moved(words(arguments)) == words(arguments))
    }

    private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test func `they are the options that every client command has`() throws {
        let help = FeedCommand.helpMessage()
        for (name, hasValue) in LeadingOptions.known {
            #expect(help.contains(name))
            #expect(!hasValue || help.contains("\(name) <"), "\(name)")
        }
    }
}
