import Foundation
import RPCTestKit
import Testing

@testable import gateway

@Suite struct OutputFileTests {
    private let bytes = Data("a picture".utf8)

    private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test(arguments: [false, true]) func `a file is created or replaced`(exists: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/a.jpg"
            if exists { try Data("something longer than that".utf8).write(to: URL(filePath: path)) }
            try OutputFile(path: path).write(bytes)
            #expect(try contents(path) == bytes)
        }
    }

    @Test(arguments: [false, true])
    func `a symbolic link is followed`(exists: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let (path, link) = (directory + "/a.jpg", directory + "/link.jpg")
            if exists { try Data("before".utf8).write(to: URL(filePath: path)) }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            try OutputFile(path: link).write(bytes)
            #expect(try contents(path) == bytes)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        }
    }

    @Test func `a pipe is written to`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            // Open for both directions, so that neither side waits for the other.
            let reader = FileHandle(fileDescriptor: open(path, O_RDWR), closeOnDealloc: true)
            try OutputFile(path: path).write(bytes)
            #expect(try reader.read(upToCount: bytes.count) == bytes)
        }
    }

    @Test func `a device is written to, and its error is reported`() throws {
        try OutputFile(path: "/dev/null").write(bytes)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        let error = #expect(throws: OutputFile.Failure.self) { try OutputFile(path: "/dev/full").write(bytes) }
        #expect(error?.description.contains("space") == true, "\(error as Any)")
    }

    @Test func `a directory is rejected`() async throws {
        try await withTemporaryDirectory { directory in
            let error = #expect(throws: OutputFile.Failure.self) { try OutputFile(path: directory).write(bytes) }
            #expect(error?.description == "it is a folder; name a file")
        }
    }
}
