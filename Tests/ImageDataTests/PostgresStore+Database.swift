import Logging
import PostgresKit
import ServiceKit
import Testing

@testable import image_data_service

extension PostgresStore {
    /// The store of the bytes that were put in a database.
    static func database(_ url: String) throws -> PostgresStore {
        PostgresStore(ImageTables.schema, at: try #require(try DatabaseURL(url)), logger: Logger(label: "store"))
    }
}
