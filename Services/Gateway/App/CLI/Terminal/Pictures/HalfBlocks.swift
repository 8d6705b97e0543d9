/// Draws pictures as text: each cell is an upper half block, whose foreground is the upper pixel and whose background the lower.
enum HalfBlocks {
    /// A line of cells for every two rows of pixels. Without a lower pixel the background stays as it is. The colours stay set at the
    /// end of a line.
    static func lines(_ pixels: Pixels, depth: ColorDepth) -> [String] {
        stride(from: 0, to: pixels.height, by: 2).map { y in
            var line = ""
            var colors = ""
            for x in 0..<pixels.width {
                var wanted = depth.parameters(pixels[x, y], isBackground: false)
                if y + 1 < pixels.height { wanted += ";" + depth.parameters(pixels[x, y + 1], isBackground: true) }
                if wanted != colors { line += "\u{1B}[\(wanted)m" }
                colors = wanted
                line += "▀"
            }
            return line
        }
    }
}
