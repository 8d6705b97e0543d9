import Foundation
import RPCTestKit
import Testing

@testable import gateway

@Suite struct OutputFileTests {
    private let bytes = Data("a picture".utf8)

    private func contents(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test(arguments: [false, true]) func `a file is made, or replaced`(exists: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/a.jpg"
            if exists { try Data("something longer than that".utf8).write(to: URL(filePath: path)) }
            try OutputFile(path: path).write(bytes)
            #expect(try contents(path) == bytes)
        }
    }

    @Test(arguments: [false, true])
    func `a symbolic link stays one, and leads to what was written`(exists: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let (path, link) = (directory + "/a.jpg", directory + "/link.jpg")
            if exists { try Data("before".utf8).write(to: URL(filePath: path)) }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            try OutputFile(path: link).write(bytes)
            #expect(try contents(path) == bytes)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        }
    }

    @Test func `a pipe is written into`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/pipe"
            try #require(mkfifo(path, 0o600) == 0)
            // Both ends, so that neither waits for the other.
            let reader = FileHandle(fileDescriptor: open(path, O_RDWR), closeOnDealloc: true)
            try OutputFile(path: path).write(bytes)
            #expect(try reader.read(upToCount: bytes.count) == bytes)
        }
    }

    @Test func `a device is written into, and what it refuses is said`() throws {
        try OutputFile(path: "/dev/null").write(bytes)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        let error = #expect(throws: OutputFile.Failure.self) { try OutputFile(path: "/dev/full").write(bytes) }
        #expect(error?.description.contains("space") == true, "\(error as Any)")
    }

    @Test func `a directory is no file`() async throws {
        try await withTemporaryDirectory { directory in
            let error = #expect(throws: OutputFile.Failure.self) { try OutputFile(path: directory).write(bytes) }
            #expect(error?.description == "Is a directory")
        }
    }
}
