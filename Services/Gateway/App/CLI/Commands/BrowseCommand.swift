import ArgumentParser
import Foundation
import GatewayContract
import Presentation
import RPC
import UnixSignals

struct BrowseCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Browse the feed in the terminal: pictures, comments, keyboard and mouse.",
        discussion: """
            Examples:
              gateway browse
              gateway browse --locale pt-BR
              gateway browse --pictures blocks      coloured characters in place of pictures

            Keys: ↑ ↓ choose, Enter shows the comments, p the picture, Esc goes back, r reloads, l changes the language, \
            t changes between light and dark, ? shows all keys, q quits. A click chooses, a second one opens.

            Pictures need vipsthumbnail of libvips (Debian's package libvips-tools). Without it there are blurred previews.
            """)

    @OptionGroup var client: ClientOptions
    @OptionGroup var pictures: PictureOptions

    func validate() throws {
        if client.json { throw ValidationError("browse has no --json; use gateway feed --json") }
    }

    func run(_ session: Session) async throws {
        let output = session.output
        guard output.terminal.isInteractive, let size = ScreenSize.live() else {
            throw ValidationError("browse needs a terminal with a keyboard; use gateway feed for a list")
        }
        // Without a gateway the command ends as every other, with a hint.
        _ = try await session.call(GatewayContract.plugins, Empty())
        let signals = await UnixSignalsSequence(trapping: BrowserSession.signals)
        try await RawTerminal.run(
            entering: FramePainter.entering + TerminalAnswers.query(of: output.terminal), leaving: FramePainter.leaving
        ) { terminal, inputs in
            let answers = await TerminalAnswers(from: inputs)
            let fitter = pictures.fitter(answers, output)
            let appearance: Theme.Appearance = answers.background?.isLight == true ? .light : .dark
            let browser = Browser(
                language: session.language, theme: Theme(appearance: appearance, depth: output.colorDepth), size: size,
                pictures: fitter.support)
            await BrowserSession(session: session, fitter: fitter, terminal: terminal, trapped: signals)
                .run(browser, inputs)
        }
    }
}
