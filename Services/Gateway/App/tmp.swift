import Crypto
@main struct M { static func main() {} }
