func feature() {
    let unused = 1
}
