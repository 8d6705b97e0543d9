import JSON
import Testing

@testable import gateway

@Suite struct ManualPageTests {
    @Test func `a page has the texts of the help, as literal text for roff`() throws {
        let command = try JSONValue(
            json: #"""
                {"commandName": "gateway", "abstract": "Run it.", "arguments": [], "shouldDisplay": true, "subcommands": [
                    {"commandName": "help", "abstract": "Help.", "shouldDisplay": true},
                    {"commandName": "hidden", "abstract": "Hidden.", "shouldDisplay": false},
                    {"commandName": "feed", "abstract": "Show 'it'.", "shouldDisplay": true,
                     "discussion": "Use `a\\b`.\n.hidden is no request.\n\nExamples:\n  gateway feed -o",
                     "arguments": [
                        {"kind": "positional", "valueName": "id", "isOptional": true, "isRepeating": true, "shouldDisplay": true,
                         "abstract": "The image."},
                        {"kind": "option", "valueName": "file", "isOptional": true, "isRepeating": false, "shouldDisplay": true,
                         "names": [{"kind": "short", "name": "o"}, {"kind": "long", "name": "output"}],
                         "abstract": "Write here.", "discussion": "As bytes.", "defaultValue": "-"},
                        {"kind": "flag", "valueName": "all", "isOptional": true, "isRepeating": false, "shouldDisplay": false,
                         "names": [{"kind": "long", "name": "all"}]}]}]}
                """#)
        let pages = ManualPage.all(of: command)
        #expect(pages.map(\.file) == ["gateway.1", "gateway-feed.1"])
        #expect(
            pages[0].text == #"""
                .TH "GATEWAY" "1" "" "image-feed" "User commands"
                .SH NAME
                gateway \- Run it.
                .SH SYNOPSIS
                \fBgateway\fR \fIcommand\fR [\fIoptions\fR]
                .SH DESCRIPTION
                .SH COMMANDS
                .TP
                \fBgateway\-feed\fR(1)
                Show \(aqit\(aq.

                """#)
        #expect(
            pages[1].text == #"""
                .TH "GATEWAY-FEED" "1" "" "image-feed" "User commands"
                .SH NAME
                gateway\-feed \- Show \(aqit\(aq.
                .SH SYNOPSIS
                \fBgateway feed\fR [\fIoptions\fR] [\fIid\fR…]
                .SH DESCRIPTION
                .PP
                Use \(gaa\eb\(ga.
                \&.hidden is no request.
                .PP
                Examples:
                .nf
                  gateway feed \-o
                .fi
                .SH OPTIONS
                .TP
                \fIid\fR…
                The image.
                .TP
                \fB\-o\fR, \fB\-\-output\fR \fIfile\fR
                Write here. As bytes. Default: \-.
                .SH SEE ALSO
                \fBgateway\fR(1)

                """#)
    }
}
