import HTTPTypes

extension HTTPFields {
    /// By a name that the library has no constant for.
    subscript(name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set { HTTPField.Name(name).map { self[$0] = newValue } }
    }
}
