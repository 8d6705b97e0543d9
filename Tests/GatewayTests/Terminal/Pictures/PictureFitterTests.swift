import EdgeModel
import Foundation
import RPCTestKit
import Processes
import Testing

@testable import gateway

/// The real `vipsthumbnail`. Needs Debian's package libvips-tools.
struct PictureFitterTests {
    private static let sample = Program.repository + "/deploy/sample/mosaic.webp"

    private func fitter(_ format: PictureProtocol, cell: CellSize = .usual) throws -> PictureFitter {
        let program = try #require(
            VipsThumbnail(in: ProcessInfo.processInfo.environment["PATH"] ?? ""), "install libvips-tools")
        return PictureFitter(format, depth: .full, cell: cell, program: program)
    }

    @Test(arguments: [PictureProtocol.kitty, .iterm2, .sixel, .blocks])
    func `a picture fits its box`(format: PictureProtocol) async throws {
        let data = try Data(contentsOf: URL(filePath: Self.sample))
        let picture = try await fitter(format).picture(data, columns: 20, rows: 5)
        #expect(picture.columns <= 20 && picture.rows <= 5)
        #expect(picture.columns == 20 || picture.rows == 5)
        switch (format, picture.content) {
        case (.kitty, .stored(1, let text)): #expect(text.hasPrefix("\u{1B}_Ga=t,f=100"))
        case (.iterm2, .sequence(let text)): #expect(text.hasPrefix("\u{1B}]1337;File="))
        case (.sixel, .sequence(let text)): #expect(text.hasPrefix("\u{1B}P0;1q"))
        case (.blocks, .cells(let lines)): #expect(lines.count == picture.rows)
        default: Issue.record("\(format): \(picture)")
        }
    }

    @Test func `bytes that are no picture are refused`() async throws {
        let fitter = try fitter(.blocks)
        await #expect(throws: LimitedProcess.Failure.self) {
            _ = try await fitter.picture(Data("no picture".utf8), columns: 20, rows: 5)
        }
    }

    @Test func `a preview has the proportions of the picture`() throws {
        let placeholder = try #require(Placeholder(Data([0x11, 1, 2, 3])))
        let fitter = try fitter(.blocks)
        let wide = try #require(
            fitter.preview(PictureHints(width: 400, height: 100, placeholder: placeholder), columns: 20, rows: 10))
        #expect(wide.columns == 20 && wide.rows == 3)
        let high = try #require(
            fitter.preview(PictureHints(width: 100, height: 400, placeholder: placeholder), columns: 20, rows: 10))
        #expect(high.columns == 5 && high.rows == 10)
        #expect(fitter.preview(PictureHints(), columns: 20, rows: 10) == nil)
    }

    @Test(arguments: [(PictureProtocol.blocks, PictureSupport.previews), (.none, .none)])
    func `without the program there are previews at most`(format: PictureProtocol, support: PictureSupport) async throws
    {
        let fitter = PictureFitter(format, depth: .full, cell: .usual, program: nil)
        #expect(fitter.support == support)
        await #expect(throws: PictureFitter.Undrawable.self) {
            _ = try await fitter.picture(Data(), columns: 1, rows: 1)
        }
    }

    @Test(arguments: [(101, 1_616), (100, 1_600), (99, 1_584)])
    func `no side is longer than the limit`(columns: Int, width: Int) throws {
        let fitter = try fitter(.kitty, cell: CellSize(width: 16, height: 16))
        #expect(fitter.pixels(columns: columns, rows: 1).width == min(width, PictureFitter.longestSide))
    }
}
