extension String {
    /// Whether two texts have the same code points, in linear time. For texts of peers: `==` compares by canonical composition, which
    /// takes the square of the length of a run of combining marks.
    public func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
