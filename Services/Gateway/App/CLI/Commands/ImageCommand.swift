import ArgumentParser
import Foundation
import GatewayContract
import ImageDataContract
import JSON
import Presentation
import RPC
import ServiceKit

struct ImageCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "image",
        abstract: "Show an image in the terminal, or get its bytes.",
        discussion: """
            Examples:
              gateway image IMAGE_ID                   in the terminal
              gateway image IMAGE_ID -o picture.jpg
              gateway image IMAGE_ID > picture.jpg     or -o -
              gateway image urn:sha256:… -o picture.jpg
            """)

    @OptionGroup var client: ClientOptions

    static let hasTranslatedErrors = true

    @Argument(help: ArgumentHelp("An item of the feed, or a URL.", valueName: "image-id|url"), completion: .imageIDs)
    var image: String

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write the bytes to this file.", valueName: "file"), completion: .file()
    )
    var output: String?

    @OptionGroup var pictures: PictureOptions

    func validate() throws {
        if client.json, output != nil {
            throw ValidationError("--json prints the bytes as base64, so it cannot be combined with -o FILE")
        }
    }

    func run(_ session: Session) async throws {
        let wantsBytes = !client.json
        let output = ["-", "/dev/stdout"].contains(output) ? nil : output
        let isShown = wantsBytes && output == nil && session.output.terminal.isTerminal(.output)
        let fitter = isShown ? try await fitter(session.output) : nil
        let id = try await ImageID(image)?.resolved(session)
        guard let subject = id.map(ImageRequest.Subject.item) ?? url else {
            throw ValidationError(
                "\"\(Escaping.visible(image))\" is neither the id of an image, or its first 4 characters or more, nor a URL"
            )
        }
        let request = ImageRequest(subject: subject, locale: session.locale)
        guard wantsBytes else {
            // Without decoding, so that the bytes remain in the text as base64.
            let result = try await session.call(GatewayContract.image.name, RawJSON(request, as: ImageRequest.codec))
            return session.output.print(result)
        }
        let answer = try await session.call(GatewayContract.image, request)
        let loaded = try answer.loaded.read(as: LoadedImage.codec)
        let facts = "\(loaded.metadata.contentType), \(loaded.metadata.size) B – \(Escaping.visible(answer.title))"
        if let fitter {
            try await show(loaded.data.data, fitter, session.output)
            return session.output.say(facts)
        }
        guard let output else { return session.output.write(Array(loaded.data.data)) }
        try save(loaded.data.data, to: output)
        session.output.say("\(output): \(facts)")
        let type = loaded.metadata.contentType
        guard Self.hasOtherEnding(output, than: type) else { return }
        session.output.complain(Texts(session.language).text(.imageEnding, type))
    }

    /// Whether a file has the name of a picture in another format.
    static func hasOtherEnding(_ file: String, than contentType: String) -> Bool {
        let ending = (file as NSString).pathExtension.lowercased()
        let types = PictureName.extensions.filter { $0.value == (ending == "jpeg" ? "jpg" : ending) }
        return !types.isEmpty && types[contentType] == nil
    }

    // MARK: In the terminal

    private func fitter(_ output: Output) async throws -> PictureFitter {
        guard output.terminal.isInteractive else {
            throw ValidationError("cannot show an image without a terminal for input and output: use -o FILE or a pipe")
        }
        let answers = try await RawTerminal.run(
            entering: TerminalAnswers.query(of: output.terminal), leaving: "\r\u{1B}[K"
        ) { await TerminalAnswers(from: $1) }
        let fitter = pictures.fitter(answers, output)
        switch fitter.support {
        case .full: return fitter
        case .none: throw ValidationError("cannot show an image without colours: use -o FILE or a pipe")
        case .previews:
            throw ValidationError("cannot show an image without vipsthumbnail: install libvips-tools, or use -o FILE")
        }
    }

    private func show(_ data: Data, _ fitter: PictureFitter, _ output: Output) async throws {
        let size = ScreenSize.live() ?? ScreenSize(columns: Terminal.defaultColumns, rows: ScreenSize.usualRows)
        do {
            // The prompt and the facts stay visible.
            let picture = try await fitter.picture(data, columns: size.columns, rows: max(size.rows - 3, 1))
            output.write(Array(picture.inlineText.utf8))
        } catch {
            throw CommandFailure(RPCError(.invalidData, "cannot show the image: \(error); use -o FILE", begun: false))
        }
    }

    private var url: ImageRequest.Subject? { image.contains(":") ? .url(image) : nil }

    private func save(_ data: Data, to path: String) throws {
        do throws(OutputFile.Failure) {
            try OutputFile(path: path).write(data)
        } catch {
            throw CommandFailure(
                RPCError(.internalError, "cannot write \(path): \(error)", begun: false), exitCode: EX_IOERR)
        }
    }
}
