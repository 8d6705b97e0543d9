import Store

let store = Store.self
