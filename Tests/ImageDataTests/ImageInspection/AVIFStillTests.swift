import Testing

@testable import ImageData

struct AVIFStillTests {
    private typealias A = AVIFBytes

    private let properties = A.properties(A.size(16, 12))

    private func location(_ content: Bytes, version: UInt8 = 0) -> Bytes {
        A.still { _ in A.meta(A.primary, A.fullBox("iloc", version: version, content), properties) }
    }

    @Test func `the size is that of the primary item`() {
        let sizes = A.size(16, 12) + A.size(8, 6)
        let image = A.still { A.meta(A.primary, $0, A.properties(sizes, numbers: [1, 0x83])) }
        #expect(inspecting(image) == .success(ImageInfo(format: .avif, size: PixelSize(width: 8, height: 6))))
        let none = A.still { A.meta(A.primary, $0, A.properties(sizes, numbers: [1])) }
        #expect(inspecting(none).fault == "its primary item has no size")
    }

    @Test func `wide identifiers and numbers are read as such`() {
        let associations = A.fullBox("ipma", version: 1, flags: 1, be32(1) + be32(70_000) + [1] + be16(0x8001))
        let wide = A.still { _ in
            A.meta(
                A.fullBox("pitm", version: 1, be32(70_000)),
                A.fullBox(
                    "iloc", version: 2,
                    be16(0x8880) + be32(1) + be32(70_000) + be16(0) + be16(0) + be64(0) + be16(1) + be64(4) + be64(8)),
                A.box("iprp", A.box("ipco", A.size(16, 12)) + associations))
        }
        #expect(inspecting(wide).isAccepted)
    }

    @Test func `every size is checked, because tiles and alpha are decoded too`() {
        #expect(inspecting(A.image(otherSizes: A.size(5_000, 10_000))).isAccepted)
        let large = inspecting(A.image(otherSizes: A.size(3_561, 14_041)))
        #expect(large == .failure(.tooManyPixels(count: 50_000_001, limit: 50_000_000)))
        #expect(inspecting(A.image(otherSizes: A.size(0, 1))).fault == "its size is 0 × 1")
    }

    @Test func `every box is required`() {
        let all = [("pitm", A.primary), ("iloc", A.location(0, 8)), ("iprp", properties)]
        for (name, _) in all {
            let image = A.still { _ in A.fullBox("meta", all.filter { $0.0 != name }.flatMap(\.1)) }
            #expect(inspecting(image).fault == "it has no \(name) box")
        }
    }

    @Test func `an item must be inside the file`() {
        let length = A.image().count
        let extent = { (offset: Int, size: Int) in
            location([0x44, 0] + be16(1) + be16(1) + be16(0) + be16(1) + be32(offset) + be32(size))
        }
        #expect(inspecting(extent(0, length)).isAccepted)
        #expect(inspecting(extent(1, length)) == .failure(.truncated(.avif)))
        #expect(inspecting(extent(0xFFFF_FFFF, 0xFFFF_FFFF)) == .failure(.truncated(.avif)))
    }

    @Test(arguments: [(UInt64.max, UInt64.max, UInt64.max), (1 << 62, 1 << 62, 1), (0, UInt64(Int.max), 1)])
    func `offsets that overflow are beyond the end`(base: UInt64, offset: UInt64, length: UInt64) {
        let item = be16(1) + be16(0) + be64(base) + be16(1) + be64(offset) + be64(length)
        #expect(inspecting(location([0x88, 0x80] + be16(1) + item)) == .failure(.truncated(.avif)))
    }

    @Test func `an item may be in the metadata`() {
        let image = { (offset: Int, length: Int) in
            let item = be16(1) + be16(1) + be16(0) + be16(1) + be32(offset) + be32(length)
            let location = A.fullBox("iloc", version: 1, be16(0x4400) + be16(1) + item)
            return A.still { _ in A.meta(A.primary, location, properties, A.box("idat", zeros(8))) }
        }
        #expect(inspecting(image(0, 8)).isAccepted)
        #expect(inspecting(image(1, 8)).fault == "an item outside its box")
    }

    @Test func `the primary item must have data in this file`() {
        let item = { (id: Int, reference: Int, length: Int) in
            location([0x44, 0] + be16(1) + be16(id) + be16(reference) + be16(1) + be32(0) + be32(length))
        }
        #expect(inspecting(item(1, 0, 8)).isAccepted)
        #expect(inspecting(item(1, 0, 0)).fault == "its primary item has no data")
        #expect(inspecting(item(2, 0, 8)).fault == "its primary item has no data")
        #expect(inspecting(item(1, 1, 8)).fault == "an item outside the file")
    }

    @Test func `extents of zero size cannot be repeated`() {
        let item = be16(1) + be16(0) + be16(0xFFFF)
        let items = (0..<1_000).flatMap { _ in item }
        #expect(inspecting(location([0, 0] + be16(1_000) + items)).fault == "extents without an offset and a length")
        // A size of 4 or 8 bytes for one of the fields limits their number.
        let single = be16(1) + be16(0) + be16(1) + be32(0)
        #expect(inspecting(location([0x40, 0] + be16(1) + single)).fault == "its primary item has no data")
    }

    @Test func `the index of an extent is not its place`() {
        let item = be16(1) + be16(0) + be16(0) + be16(1) + be32(0xFFFF_FFFF) + be32(0) + be32(8)
        #expect(inspecting(location(be16(0x4404) + be16(1) + item, version: 1)).isAccepted)
    }

    @Test func `numbers must have 0, 4 or 8 bytes`() {
        #expect(inspecting(location([0x54, 0] + be16(1) + zeros(40))).isAccepted == false)
        let item = be16(1) + be16(0) + be16(1) + zeros(20)
        #expect(inspecting(location([0x34, 0] + be16(1) + item)).fault == "a number of 3 bytes")
    }

    @Test(arguments: [0x5444, 0x4544, 0x4454, 0x4445]) func `none of the numbers of an item may have 5 bytes`(
        sizes: Int
    ) {
        let item = be16(1) + be16(0) + be16(0) + be32(0) + be16(1) + zeros(20)
        let image = location(be16(sizes) + be16(1) + item, version: 1)
        #expect(inspecting(image).fault == "a number of 5 bytes")
    }

    @Test func `more properties than property numbers are rejected`() {
        let filling = { (count: Int) in (0..<count).flatMap { _ in A.box("free", []) } }
        #expect(inspecting(A.image(otherSizes: filling(0x7FFF - 2))).isAccepted)
        #expect(inspecting(A.image(otherSizes: filling(0x7FFF - 1))).fault == "more properties than property numbers")
    }
}
