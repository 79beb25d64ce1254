// Buttons that copy the content of a field. Without a clipboard (plain HTTP) the field is only selected.

export function enhanceCopies(root) {
  for (const button of root.querySelectorAll("[data-copy]")) {
    const field = root.querySelector(`#${button.dataset.copy}`);
    button.hidden = false;
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Press Ctrl+C";
      }
    });
  }
}
