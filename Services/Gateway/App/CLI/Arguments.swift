import ArgumentParser
import Foundation

/// The id of an image as it was typed.
func imageID(_ text: String) throws -> UUID {
    guard let id = UUID(uuidString: text) else {
        throw ValidationError("\"\(Escaping.visible(text))\" is no id: it must look like \(UUID().uuidString)")
    }
    return id
}
