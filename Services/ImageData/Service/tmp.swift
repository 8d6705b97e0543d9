import Foundation
@main struct M { static func main() {} }
