import ArgumentParser
import Foundation
import Processes

/// The option for pictures in the terminal.
struct PictureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How to show pictures: kitty, iterm2, sixel, blocks or none.",
            discussion: "Default: the best that the terminal announces; coloured blocks in any terminal with colours.",
            valueName: "protocol"))
    var pictures: PictureProtocol?

    func fitter(_ answers: TerminalAnswers, _ output: Output) -> PictureFitter {
        let environment = ProcessInfo.processInfo.environment
        let announced = PictureProtocol(answers, environment: environment, hasColors: output.style.isOn)
        return PictureFitter(
            pictures ?? announced, depth: output.colorDepth ?? .palette, cell: answers.cell ?? .usual,
            program: VipsThumbnail(in: environment["PATH"] ?? ""))
    }
}
