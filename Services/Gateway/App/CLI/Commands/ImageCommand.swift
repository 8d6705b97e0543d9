import ArgumentParser
import Foundation
import GatewayContract
import ImageDataContract
import JSON
import RPC

struct ImageCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "image",
        abstract: "Get the bytes of an image.",
        discussion: """
            Examples:
              gateway image IMAGE_ID -o picture.jpg
              gateway image IMAGE_ID > picture.jpg     or -o -
              gateway image urn:sha256:… -o picture.jpg
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("An item of the feed, or a URL.", valueName: "image-id|url")) var image: String

    @Option(name: .shortAndLong, help: ArgumentHelp("Write the bytes to this file.", valueName: "file"))
    var output: String?

    func validate() throws {
        if client.json, output != nil {
            throw ValidationError("--json prints the bytes as base64, so it cannot be combined with -o FILE")
        }
    }

    func run(_ session: Session) async throws {
        let wantsBytes = !client.json
        let output = ["-", "/dev/stdout"].contains(output) ? nil : output
        if wantsBytes, output == nil, session.output.terminal.isTerminal(.output) {
            throw ValidationError("cannot write an image to a terminal: use -o FILE or a pipe")
        }
        guard let subject = UUID(hexadecimal: image).map(ImageRequest.Subject.item) ?? url else {
            throw ValidationError("\"\(Escaping.visible(image))\" is neither the id of an image nor a URL")
        }
        let request = ImageRequest(subject: subject, locale: session.locale)
        guard wantsBytes else {
            // Without decoding, so that the bytes remain in the text as base64.
            let result = try await session.call(GatewayContract.image.name, RawJSON(request, as: ImageRequest.codec))
            return session.output.print("\(result)")
        }
        let answer = try await session.call(GatewayContract.image, request)
        let loaded = try answer.loaded.read(as: LoadedImage.codec)
        guard let output else { return session.output.write(Array(loaded.data.data)) }
        try save(loaded.data.data, to: output, session.output)
        session.output.say(
            "\(output): \(loaded.metadata.contentType), \(loaded.metadata.size) bytes – \(Escaping.visible(answer.title))"
        )
    }

    private var url: ImageRequest.Subject? { image.contains(":") ? .url(image) : nil }

    private func save(_ data: Data, to path: String, _ output: Output) throws {
        do throws(OutputFile.Failure) {
            try OutputFile(path: path).write(data)
        } catch {
            output.complain("cannot write \(path): \(error)")
            throw ExitCode(EX_IOERR)
        }
    }
}
