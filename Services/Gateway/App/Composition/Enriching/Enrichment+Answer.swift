import Foundation
import JSON
import RPC

extension Enrichment {
    /// The parameters of every enriching method.
    static func params(_ ids: [UUID]) -> Payload { Payload(RawJSON(ids, as: idsCodec)) }

    private static let idsCodec = Codec<[UUID]>.object { object in
        let ids = object.required("image_ids", .array(of: .uuid), \.self)
        return { members throws(JSONError) in try members[ids] }
    }

    /// The values in the answer of the method. Values of images that were not requested are dropped.
    /// - Throws: `invalid_data` when the answer is too large, or is not one member with an object keyed by image id.
    func values(in answer: Payload, for ids: [UUID]) throws(RPCError) -> [UUID: RawJSON] {
        let size = answer.json.bytes.count
        guard size <= EnrichmentLimits.answerBytes else {
            throw invalid("the answer has \(size) bytes, the limit is \(EnrichmentLimits.answerBytes)")
        }
        do throws(JSONError) {
            let members: [String: [String: RawJSON]] = try answer.json.read(
                as: .dictionary(of: .dictionary(of: .any)))
            guard members.count == 1, let values = members.values.first else {
                throw .refused("must have one member: an object keyed by image id")
            }
            return try Self.values(values, for: Set(ids))
        } catch {
            throw invalid("\(error)")
        }
    }

    private static func values(
        _ values: [String: RawJSON], for ids: Set<UUID>
    ) throws(JSONError) -> [UUID: RawJSON] {
        var asked: [UUID: RawJSON] = [:]
        for (name, value) in values {
            guard let id = UUID(hexadecimal: name), ids.contains(id), value != null else { continue }
            do throws(JSONError) {
                try ExtensionValue.check(value)
            } catch {
                throw error.inside(name)
            }
            asked[id] = value
        }
        return asked
    }

    /// Counts as no value.
    private static let null = RawJSON(unchecked: Array("null".utf8))

    private func invalid(_ reason: String) -> RPCError { RPCError(.invalidData, "\(method): \(reason)") }
}
