import CPostgres

/// The result of a statement.
public final class PostgresRows {
    private let result: OpaquePointer
    private let library: UnsafePointer<libpq>

    /// - Parameter result: freed with this object.
    init(_ result: OpaquePointer, _ library: UnsafePointer<libpq>) { (self.result, self.library) = (result, library) }

    deinit { library.pointee.clear(result) }

    public var count: Int { Int(library.pointee.ntuples(result)) }

    /// The number of rows that the statement has changed.
    public var changed: Int { Int(String(cString: library.pointee.cmdTuples(result))) ?? 0 }

    public var first: PostgresRow? { count > 0 ? PostgresRow(rows: self, index: 0) : nil }

    public func map<Value>(_ body: (PostgresRow) throws -> Value) rethrows -> [Value] {
        try (0..<count).map { try body(PostgresRow(rows: self, index: Int32($0))) }
    }

    /// The bytes of a value; nil for NULL.
    /// - Throws: `PostgresError.undecodable` if the column has another type.
    fileprivate func bytes(_ row: Int32, _ column: Int32, type: UInt32) throws(PostgresError) -> UnsafeRawBufferPointer?
    {
        guard column < library.pointee.nfields(result), library.pointee.ftype(result, column) == type else {
            throw .undecodable
        }
        guard library.pointee.getisnull(result, row, column) == 0 else { return nil }
        let start = library.pointee.getvalue(result, row, column)
        return UnsafeRawBufferPointer(start: start, count: Int(library.pointee.getlength(result, row, column)))
    }
}

/// A row of a result.
public struct PostgresRow {
    fileprivate let rows: PostgresRows
    fileprivate let index: Int32

    public func decode<Value: PostgresValue>(_ column: Int, as type: Value.Type = Value.self) throws(PostgresError)
        -> Value
    {
        guard let value = try find(column, as: type) else { throw .undecodable }
        return value
    }

    /// - Returns: nil for NULL.
    public func find<Value: PostgresValue>(_ column: Int, as: Value.Type = Value.self) throws(PostgresError) -> Value? {
        guard let bytes = try rows.bytes(index, Int32(column), type: Value.type) else { return nil }
        // The bytes live as long as the rows.
        return try withExtendedLifetime(rows) { () throws(PostgresError) in
            guard let value = Value(binary: bytes) else { throw .undecodable }
            return value
        }
    }
}
