/// How a picture of this size is shown, which the properties of a still picture and the boxes of a track say alike: `clap` names the
/// part to show, and `irot` how to turn it.
struct AVIFShape {
    let size: PixelSize
    let orientation: Orientation
    let drawing: ImageInfo.Drawing

    /// - Parameter isTurned: whether the picture is turned on its side.
    init(_ size: PixelSize, crop: AVIFCrop?, isTurned: Bool) {
        let cropped = crop?.size(in: size)
        self.size = cropped ?? size
        orientation = isTurned ? .onItsSide : .upright
        drawing = crop == nil || cropped != nil ? .same : .other
    }
}
