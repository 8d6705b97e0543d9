import Foundation
import JSON
import Testing

@testable import RPC

@Suite struct PayloadTests {
    private let attachments = [Attachment(Data("123".utf8), crc32: nil), Attachment(Data(), crc32: 0)]

    private func inlined(_ json: String) throws -> String {
        try Payload(RawJSON(checking: json), attachments: attachments).inlined.description
    }

    @Test(
        arguments: [
            (
                #"{"$bytes":{"attachment":0,"size":3,"crc32":2286445522}}"#,
                #"{"$bytes":{"base64":"MTIz","size":3,"crc32":2286445522}}"#
            ),
            (
                #"{"a":[1,{"b":{"$bytes":{"attachment":1}}}] , "c":{"$bytes":{"attachment":0}}}"#,
                #"{"a":[1,{"b":{"$bytes":{"base64":"","size":0,"crc32":0}}}] , "c":{"$bytes":{"base64":"MTIz","size":3,"crc32":2286445522}}}"#
            ),
            (#"{"$bytes":{"base64":"MTIz","size":3,"crc32":2286445522}}"#, nil),
            (#"{"a":"$bytes","b":null}"#, nil), ("[]", nil), ("1", nil),
            // Invalid bytes stay unchanged: their reader refuses them.
            (#"{"$bytes":{"attachment":2}}"#, nil), (#"{"$bytes":{"attachment":0,"size":4}}"#, nil),
            // Repeated references to the same bytes would multiply their size.
            (
                #"[{"$bytes":{"attachment":0}},{"$bytes":{"attachment":0}},{"$bytes":{"attachment":0}}]"#, nil
            ),
            (
                #"{"a":{"$bytes":{"attachment":0}},"b":[{"$bytes":{"attachment":1}},{"$bytes":{"attachment":0}}]}"#, nil
            ),
            // Even if other attachments are not referred to.
            (#"[{"$bytes":{"attachment":0}},{"$bytes":{"attachment":0}}]"#, nil),
            // Bytes that are already in the text stay unchanged.
            (
                #"[{"$bytes":{"base64":""}},{"$bytes":{"base64":""}},{"$bytes":{"attachment":0}}]"#,
                #"[{"$bytes":{"base64":""}},{"$bytes":{"base64":""}},{"$bytes":{"base64":"MTIz","size":3,"crc32":2286445522}}]"#
            ),
        ] as [(String, String?)])
    func `attachments are put into the text for a receiver that takes none`(json: String, expected: String?) throws {
        #expect(try inlined(json) == expected ?? json)
    }
}
