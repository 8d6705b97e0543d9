import Foundation

extension UUID {
    /// An id that ends with a number of at most twelve digits.
    public init(number: Int) {
        let text = String(format: "00000000-0000-4000-8000-%012d", number)
        guard let id = UUID(uuidString: text) else { preconditionFailure("\(text) is not a UUID") }
        self = id
    }

    /// The number that the id ends with; −1 for an id without one.
    public var number: Int { Int(uuidString.suffix(12)) ?? -1 }
}
