import Foundation

/// The XMP file beside a picture, into which programs write texts in place of changing the picture: `a.jpg.xmp` or `a.xmp`.
struct XMPSidecar {
    private var content: [UInt8]

    private static let maximumBytes = 8 << 20

    /// - Parameter path: that of the picture.
    /// - Returns: nil if no file beside it is a sidecar that can be read.
    init?(ofPicture path: String) {
        guard let sidecar = Self.paths(ofPicture: path).lazy.compactMap(Self.init(path:)).first else { return nil }
        self = sidecar
    }

    /// - Returns: nil if the file is no XMP, a link, or too large.
    init?(path: String) {
        // A link may lead out of the folder.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular,
            let data = try? InputFile(path: path).read(upTo: Self.maximumBytes, isRegular: true)
        else { return nil }
        content = Array(data)
        guard XMPPacket(content).text.range(of: Array("rdf:RDF".utf8), from: 0) != nil else { return nil }
    }

    /// The paths of the sidecars that a picture may have, the one that counts first at the beginning.
    static func paths(ofPicture path: String) -> [String] {
        [path, (path as NSString).deletingPathExtension].flatMap { ["\($0).xmp", "\($0).XMP"] }
    }

    var texts: PictureText.Source { XMPPacket.texts(in: content) }

    mutating func erasePosition() { _ = XMPPacket.erasePosition(in: &content) }
}
