import ArgumentParser
import Foundation
import JSON

/// Writes what shells and `man` look for beside a program: completions and the pages of the manual.
struct WriteHelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write-help", abstract: "Write completions and manual pages into a folder.", shouldDisplay: false)

    @Argument(help: "The folder, such as ROOT/share.") var folder: String

    func run() throws {
        try write(CompletionScript.bash, to: "bash-completion/completions/gateway")
        try write(CompletionScript.zsh, to: "zsh/site-functions/_gateway")
        try write(CompletionScript.fish, to: "fish/vendor_completions.d/gateway.fish")
        guard let command = try JSONValue(json: GatewayCommand._dumpHelp().utf8)["command"] else { return }
        // The page of `gateway`, whose time tells whether all are new, is the last one.
        for page in ManualPage.all(of: command).reversed() { try write(page.text, to: "man/man1/\(page.file)") }
    }

    private func write(_ text: String, to path: String) throws {
        let file = URL(filePath: folder).appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
    }
}
