import Foundation
import ImageDataContract
import Processes
import RPC

/// An image file on this machine. It is read only if its size is within the limit.
struct PictureFile {
    let path: String

    /// What is stored of a picture that people bring.
    struct Prepared: Sendable {
        let data: Data

        /// Whether its metadata had a position.
        let hadPosition: Bool

        /// What the file and its sidecar say for readers.
        var texts = PictureTexts()
    }

    /// Reads the picture, converts HEIC to JPEG, and removes its position from the metadata.
    /// - Throws: `RPCError` with the kind that the service would return; `invalid_data` for HEIC that cannot be read here.
    func prepared(keepingPosition: Bool) async throws(RPCError) -> Prepared {
        let data = try read()
        var metadata = PictureMetadata(data, sidecar: XMPSidecar(ofPicture: path))
        var hadPosition = keepingPosition ? false : metadata.erasePosition()
        // What is removed from the file must not be published as its text.
        let texts = metadata.texts(file: path)
        if Self.isHEIC(data) {
            metadata = PictureMetadata(try await Self.jpeg(of: data))
            if !keepingPosition, metadata.erasePosition() { hadPosition = true }
        } else if !hadPosition {
            return Prepared(data: data, hadPosition: false, texts: texts)
        }
        return Prepared(data: Data(metadata.bytes), hadPosition: hadPosition, texts: texts)
    }

    /// The bytes as they are.
    func read() throws(RPCError) -> Data {
        try InputFile(path: path).read(upTo: ImageDataContract.maximumImageBytes, isRegular: true)
    }

    /// The brands of HEIC and HEIF, but not those of AVIF.
    private static func isHEIC(_ data: Data) -> Bool {
        guard data.count >= 12, data[4..<8].elementsEqual("ftyp".utf8) else { return false }
        return ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].contains {
            data[8..<12].elementsEqual($0.utf8)
        } && data.prefix(64).range(of: Data("avif".utf8)) == nil
    }

    private static func jpeg(of data: Data) async throws(RPCError) -> Data {
        guard let program = VipsThumbnail(in: ProcessInfo.processInfo.environment["PATH"] ?? "") else {
            throw unreadable("libvips is not installed: install libvips-tools and libheif1")
        }
        guard VipsThumbnail.hasExactColours(data) else {
            throw unreadable("libvips cannot convert its colours (HDR)")
        }
        do {
            return try await program.run(
                data, size: "16383x16383>", output: ".jpg[Q=92,background=255]",
                maximumBytes: ImageDataContract.maximumImageBytes)
        } catch is CancellationError {
            throw RPCError(.cancelled, "interrupted", begun: false)
        } catch {
            throw unreadable("libvips cannot read it: \(error)")
        }
    }

    private static func unreadable(_ reason: String) -> RPCError {
        RPCError(
            .invalidData,
            "it is a HEIC picture, which browsers do not show, and \(reason); or convert it to JPEG first", begun: false
        )
    }
}
