import HTTPTypes

extension HTTPFields {
    /// Accesses a field by a name without a constant in the library.
    subscript(name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set { HTTPField.Name(name).map { self[$0] = newValue } }
    }
}
