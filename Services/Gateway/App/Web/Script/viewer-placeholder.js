/** Shows the placeholder of a picture in full size until the picture has come. Without it the window would be black. */
export function showPlaceholder() {
  const image = document.querySelector("#stage img");
  const { placeholder: src, width, height } = image.dataset;
  if (!src || image.complete && image.naturalWidth) return;
  const placeholder = Object.assign(new Image(width, height), { className: "stage-placeholder", alt: "", src });
  image.addEventListener("load", () => placeholder.remove());
  image.after(placeholder);
}
