// Proposing an arrangement: click an ingredient on the board, then the tile to move it to.

const CENTRE = 31; // half a tile, in SVG units

export class Placement {
  constructor(root, element) {
    this.board = root.querySelector("#board svg");
    this.announcer = element.querySelector("#said");
    this.selects = new Map(Array.from(element.querySelectorAll("[data-token]"), (select) => [select.dataset.token, select]));
    if (!this.selects.size) return;
    this.picked = null;
    this.tiles = new Set(element.dataset.tiles.split(" "));
    for (const hit of this.board.querySelectorAll(".cell-hit")) {
      if (!this.tiles.has(hit.dataset.cell)) continue;
      hit.dataset.clickable = "";
      hit.addEventListener("click", () => this.press(hit.dataset.cell));
    }
    element.addEventListener("change", () => this.show());
    this.show();
  }

  at(tile) {
    return Array.from(this.selects).find(([, select]) => select.value === tile)?.[0] ?? null;
  }

  press(tile) {
    const here = this.at(tile);
    if (!this.picked) {
      this.picked = here;
    } else {
      const from = this.selects.get(this.picked);
      if (here) this.selects.get(here).value = from.value; // swap the two ingredients
      from.value = tile;
      this.announcer.textContent = `Moved ${this.picked} to row ${tile[0]}, column ${tile[2]}.`;
      this.picked = null;
    }
    this.show();
  }

  show() {
    for (const [ingredient, select] of this.selects) {
      const token = this.board.querySelector(`.token[data-ingredient="${ingredient}"]`);
      const hit = this.board.querySelector(`.cell-hit[data-cell="${select.value}"]`);
      token.style.transform = `translate(${Number(hit.getAttribute("x")) + CENTRE}px, ${Number(hit.getAttribute("y")) + CENTRE}px)`;
      token.classList.toggle("picked", ingredient === this.picked);
      hit.toggleAttribute("data-chosen", ingredient === this.picked);
    }
    for (const hit of this.board.querySelectorAll("[data-chosen]")) {
      if (!this.picked || this.selects.get(this.picked).value !== hit.dataset.cell) hit.removeAttribute("data-chosen");
    }
  }
}
