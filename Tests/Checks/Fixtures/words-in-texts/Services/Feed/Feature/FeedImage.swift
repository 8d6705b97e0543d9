// import GRDB
/* import GRDB /* import NIOCore */
import GRDB */
import Foundation

let help = """
    import DIR "quoted" // import NIOCore
    """
let raw = #" " import GRDB"#
let comment = "/*"
let address = "http://example.org"
let imports = "import GRDB"
