import Foundation
import JSON

@testable import RPC

/// Foundation must accept everything that our strict reader accepts, with equal strings.
enum FoundationOracle {
    static func check(_ json: RawJSON, _ tree: JSONTree) throws {
        // Foundation refuses numbers that it cannot represent.
        guard tree.isWithinDouble else { return }
        let data = Data(json.bytes)
        guard let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else {
            throw FuzzFinding(description: "Foundation refuses what we accept")
        }
        try FuzzFinding.unless(isSame(tree, value), "Foundation reads something else")
    }

    private static func isSame(_ tree: JSONTree, _ value: Any) -> Bool {
        switch tree {
        case .object(let members):
            guard let object = value as? [String: Any] else { return false }
            // Foundation compares names by characters.
            guard object.count == members.count else { return true }
            return members.allSatisfy { name, member in
                object[String(decoding: name, as: UTF8.self)].map { isSame(member, $0) } ?? false
            }
        case .array(let elements):
            guard let array = value as? [Any], array.count == elements.count else { return false }
            return zip(elements, array).allSatisfy(isSame)
        case .string(let utf8): return (value as? String).map { $0.utf8.elementsEqual(utf8) } ?? false
        case .number, .boolean: return value is NSNumber
        case .null: return value is NSNull
        }
    }
}
