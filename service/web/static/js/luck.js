// Fills in the player's client seed. It is drawn in the browser, so that the server cannot choose it.

export function drawLuck(root) {
  for (const field of root.querySelectorAll("input[name=client_seed]")) {
    if (field.value || !globalThis.crypto) continue;
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    field.value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

drawLuck(document);
