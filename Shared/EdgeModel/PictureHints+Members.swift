import JSON

extension PictureHints {
    /// The optional members `width`, `height` and `placeholder` of an object.
    public struct Members: Sendable {
        private let width: ObjectMember<Int?>
        private let height: ObjectMember<Int?>
        private let placeholder: ObjectMember<Placeholder?>

        public init<Object>(
            in object: inout ObjectDeclaration<Object>, _ get: @escaping @Sendable (Object) -> PictureHints
        ) {
            self = object.part(get) { Members(in: &$0) }
        }

        private init(in hints: inout ObjectDeclaration<PictureHints>) {
            width = hints.optional("width", .integer(sides), \.width, "In pixels, of the picture as it is shown.")
            height = hints.optional("height", .integer(sides), \.height)
            placeholder = hints.optional(
                "placeholder", Placeholder.codec, \.placeholder, "A picture of at most 12 pixels, in base64.")
        }

        public func read(_ members: ObjectMembers) throws(JSONError) -> PictureHints {
            let (width, height) = (try members[width], try members[height])
            guard (width == nil) == (height == nil) else {
                throw .mismatch(
                    path: width == nil ? "width" : "height",
                    reason: "is missing: width and height must be given together")
            }
            return PictureHints(width: width, height: height, placeholder: try members[placeholder])
        }
    }
}

extension Placeholder {
    /// The codec of the base64 text.
    static let codec = Codec<String>.string.map(
        // Between 4 bytes, of one pixel, and 37.
        describedAs: [
            "maxLength": .integer(maximumText),
            "pattern": .string("^([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$"),
        ],
        into: { text throws(JSONError) in
            guard let placeholder = Placeholder(base64: text) else {
                throw .refused(
                    "must be the base64 of columns × 16 + rows and of 3 bytes for each of at most \(maximumPixels) pixels"
                )
            }
            return placeholder
        },
        from: \.base64)
}
