/// Builds the chunks and the container of a WebP.
enum WebPBytes {
    static func container(_ chunks: Bytes) -> Bytes {
        ascii("RIFF") + le32(chunks.count + 4) + ascii("WEBP") + chunks
    }

    static func chunk(_ type: String, _ content: Bytes) -> Bytes {
        ascii(type) + le32(content.count) + content + zeros(content.count % 2)
    }

    static func lossy(_ width: Int = 16, _ height: Int = 12, partition: Int = 3) -> Bytes {
        chunk("VP8 ", le24(partition << 5) + [0x9D, 0x01, 0x2A] + le16(width) + le16(height) + [1, 2, 3])
    }

    static func lossless(_ width: Int = 16, _ height: Int = 12, version: Int = 0) -> Bytes {
        chunk("VP8L", [0x2F] + le32((width - 1) | (height - 1) << 14 | version << 29) + [1, 2])
    }

    static func extended(_ width: Int = 16, _ height: Int = 12, isAnimated: Bool = false) -> Bytes {
        chunk("VP8X", [isAnimated ? 2 : 0, 0, 0, 0] + le24(width - 1) + le24(height - 1))
    }

    static let animation = chunk("ANIM", zeros(6))

    static func frame(_ width: Int = 16, _ height: Int = 12, x: Int = 0, y: Int = 0, picture: Bytes? = nil) -> Bytes {
        let place = le24(x / 2) + le24(y / 2) + le24(width - 1) + le24(height - 1)
        return chunk("ANMF", place + zeros(4) + (picture ?? lossy(width, height)))
    }

    static func animated(_ width: Int = 16, _ height: Int = 12, frames: Bytes) -> Bytes {
        container(extended(width, height, isAnimated: true) + animation + frames)
    }
}
