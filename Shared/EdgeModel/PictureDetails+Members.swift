import JSON

extension PictureDetails {
    /// The maximum length of `alt`, in Unicode scalars.
    public static let maximumAlt = 2_000

    /// The maximum length of `credit` and of `license`, in Unicode scalars.
    public static let maximumCredit = 200

    /// The schemes of `source`.
    public static let sourceSchemes = ["http", "https"]

    /// The codec of `source` as upstreams and other programs write it: characters that a URL cannot have are encoded, as browsers do
    /// with the address of a page.
    public static let foreignSource = Codec<String>.string.map(
        into: { text throws(JSONError) in
            let uri = Codec<String>.uri(schemes: sourceSchemes, maximumBytes: nil)
            do throws(JSONError) {
                return try RawJSON(text, as: .string).read(as: uri)
            } catch {
                guard let address = WebAddress.resolve(text, schemes: sourceSchemes) else { throw error }
                return address
            }
        }, from: { $0 })

    /// The optional members `alt`, `credit`, `license`, `source` and `sensitive` of an object.
    public struct Members: Sendable {
        private let alt: ObjectMember<String?>
        private let credit: ObjectMember<String?>
        private let license: ObjectMember<String?>
        private let source: ObjectMember<String?>
        private let sensitive: ObjectMember<Bool?>

        /// - Parameters:
        ///   - isAuthored: whether the lengths are limited. An edge forwards the texts of its upstream unchanged.
        ///   - source: the codec of `source`; nil for a URL as we write it.
        public init<Object>(
            in object: inout ObjectDeclaration<Object>, isAuthored: Bool, source: Codec<String>? = nil,
            _ get: @escaping @Sendable (Object) -> PictureDetails
        ) {
            self = object.part({ get($0).present }) { Members(in: &$0, isAuthored, source) }
        }

        private init(in details: inout ObjectDeclaration<PictureDetails>, _ isAuthored: Bool, _ source: Codec<String>?)
        {
            let text = { (maximum: Int) in isAuthored ? Codec<String>.trimmed(0...maximum) : .string }
            alt = details.optional(
                "alt", text(maximumAlt), \.alt, "What the picture shows, for people who cannot see it.")
            credit = details.optional("credit", text(maximumCredit), \.credit, "The author of the picture.")
            license = details.optional("license", text(maximumCredit), \.license, "An SPDX identifier, or a text.")
            let written = Codec<String>.uri(schemes: sourceSchemes, maximumBytes: isAuthored ? 2_048 : nil)
            self.source = details.optional("source", source ?? written, \.source, "The URL of the original.")
            sensitive = details.optional(
                "sensitive", .boolean, { $0.isSensitive ? true : nil }, "True: cover it until the reader asks.")
        }

        public func read(_ members: ObjectMembers) throws(JSONError) -> PictureDetails {
            PictureDetails(
                alt: try members[alt], credit: try members[credit], license: try members[license],
                source: try members[source].map(WebAddress.strict), isSensitive: try members[sensitive] ?? false)
        }
    }

    /// Nil if it is empty.
    fileprivate var present: PictureDetails? { isEmpty ? nil : self }

    /// An object with the members.
    public static let codec = Codec<PictureDetails>.object { object in
        let details = Members(in: &object, isAuthored: false) { $0 }
        return { members throws(JSONError) in try details.read(members) }
    }
}
