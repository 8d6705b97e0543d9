import JSON

/// What a program finds in a store with `--verify`. It prints one line of JSON for each.
public enum StoreFinding: Equatable, Sendable {
    case fault(Fault)

    /// URLs of the images that items name.
    case named([String])

    /// URLs of images whose bytes are stored until they are evicted.
    case stored([String])

    public struct Fault: Equatable, Sendable {
        /// The path of the store.
        public let store: String
        public let reason: String

        /// What the program has done about it.
        public let repair: String?

        public init(store: String, reason: String, repair: String? = nil) {
            (self.store, self.reason, self.repair) = (store, reason, repair)
        }
    }

    public static let codec = Codec<StoreFinding>.union(taggedBy: "finding") { union in
        let fault = union.alternative("fault", Fault.codec, StoreFinding.fault)
        let named = union.alternative("named", urls, StoreFinding.named)
        let stored = union.alternative("stored", urls, StoreFinding.stored)
        return {
            switch $0 {
            case .fault(let value): fault(value)
            case .named(let value): named(value)
            case .stored(let value): stored(value)
            }
        }
    }

    private static let urls = Codec<[String]>.object { object in
        let urls = object.required("urls", .array(of: .string), \.self)
        return { members throws(JSONError) in try members[urls] }
    }
}

extension StoreFinding.Fault {
    fileprivate static let codec = Codec<StoreFinding.Fault>.object { object in
        let store = object.required("store", .string, \.store)
        let reason = object.required("reason", .string, \.reason)
        let repair = object.optional("repair", .string, \.repair)
        return { members throws(JSONError) in
            StoreFinding.Fault(
                store: try members[store], reason: try members[reason], repair: try members[repair])
        }
    }
}
