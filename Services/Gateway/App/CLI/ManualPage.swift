import JSON

/// A page of the manual: the text of a command's `--help` for `man`.
struct ManualPage {
    /// The words of the command: gateway, config, set.
    private let words: [String]
    private let command: JSONValue

    /// The pages of a command and its subcommands.
    /// - Parameter command: the description by `--experimental-dump-help`.
    static func all(of command: JSONValue, after parents: [String] = []) -> [ManualPage] {
        let page = ManualPage(words: parents + [command["commandName"]?.text ?? ""], command: command)
        return [page] + page.subcommands.flatMap { all(of: $0, after: page.words) }
    }

    var file: String { words.joined(separator: "-") + ".1" }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private var subcommands: [JSONValue] {
        shown("subcommands").filter { $0["commandName"]?.text != "help" }
    }

    private var arguments: [JSONValue] { shown("arguments") }

    private func shown(_ member: String) -> [JSONValue] {
        (command[member]?.elements ?? []).filter { $0["shouldDisplay"]?.boolean == true }
    }

    private var lines: [String] {
        let title = words.joined(separator: "-")
        return [
            #".TH "\#(title.uppercased())" "1" "" "image-feed" "User commands""#,
            ".SH NAME", #"\#(Self.escaped(title)) \- \#(Self.escaped(command["abstract"]?.text))"#,
            ".SH SYNOPSIS", synopsis, ".SH DESCRIPTION",
        ] + Self.paragraphs(command["discussion"]?.text ?? "") + options + others
    }

    /// The command with its own arguments; its options have a section.
    private var synopsis: String {
        let positionals = arguments.filter(Self.isPositional).map {
            $0["isOptional"]?.boolean == true ? "[\(Self.names(of: $0))]" : Self.names(of: $0)
        }
        let command = ["\\fB\(Self.escaped(words.joined(separator: " ")))\\fR"]
        return (command + (subcommands.isEmpty ? [] : ["\\fIcommand\\fR"]) + ["[\\fIoptions\\fR]"] + positionals)
            .joined(separator: " ")
    }

    private var options: [String] {
        let items = arguments.flatMap { argument in
            let value = argument["defaultValue"]?.text.map { "Default: \($0)." }
            let parts = [argument["abstract"]?.text, argument["discussion"]?.text, value].compactMap(\.self)
            return [".TP", Self.names(of: argument), Self.escaped(parts.joined(separator: " "))]
        }
        return items.isEmpty ? [] : [".SH OPTIONS"] + items
    }

    private var others: [String] {
        guard !subcommands.isEmpty else { return [".SH SEE ALSO", #"\fBgateway\fR(1)"#] }
        return [".SH COMMANDS"]
            + subcommands.flatMap { other in
                let title = (words + [other["commandName"]?.text ?? ""]).joined(separator: "-")
                return [".TP", "\\fB\(Self.escaped(title))\\fR(1)", Self.escaped(other["abstract"]?.text)]
            }
    }

    private static func isPositional(_ argument: JSONValue) -> Bool { argument["kind"]?.text == "positional" }

    /// An argument as it is typed: -o, --output file.
    private static func names(of argument: JSONValue) -> String {
        let value = "\\fI\(escaped(argument["valueName"]?.text))\\fR"
        if isPositional(argument) { return value + (argument["isRepeating"]?.boolean == true ? "…" : "") }
        let names = (argument["names"]?.elements ?? []).map { name in
            "\\fB\(escaped((name["kind"]?.text == "short" ? "-" : "--") + (name["name"]?.text ?? "")))\\fR"
        }
        return names.joined(separator: ", ") + (argument["kind"]?.text == "option" ? " " + value : "")
    }

    /// Lines that begin with a space are examples, which keep their form.
    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n\n").flatMap { block in
            var lines = [".PP"]
            var isExample = false
            for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix(" ") != isExample {
                    isExample.toggle()
                    lines.append(isExample ? ".nf" : ".fi")
                }
                lines.append(escaped(String(line)))
            }
            return lines + (isExample ? [".fi"] : [])
        }
    }

    /// A text for roff: no line is a request, and hyphens can be copied.
    private static func escaped(_ text: String?) -> String {
        let escapes: [Character: String] = ["\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga"]
        let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).map { line in
            (line.hasPrefix(".") ? "\\&" : "") + line.map { escapes[$0] ?? String($0) }.joined()
        }
        return lines.joined(separator: "\n")
    }
}
