// Makes the cards, slots and dice in the picture work with mouse and keyboard.
// One click turns over a card or rolls the dice. The first click on a slot chooses it, the second one uses it.

let listOpen = false; // whether the player opened the list of cards; kept from move to move
let byKeyboard = null; // the spot last used by keyboard, which gets the focus back

export function setUp(root) {
  const form = root.querySelector(".bakery-form");
  const board = root.querySelector("#board svg");
  if (form && board) new Spots(root, form, board);
  return { keep: () => null, played: () => tell(root) };
}

// Announces to screen readers what happened, then whose turn it is.
function tell(root) {
  const lines = Array.from(root.querySelectorAll(".happenings .latest p"), (line) => line.textContent);
  const announcer = document.getElementById("announcer");
  announcer.textContent = [...lines, root.querySelector("#turn").textContent].join(" ");
}

class Spots {
  constructor(root, form, board) {
    this.root = root;
    this.form = form;
    this.button = form.querySelector("#send");
    this.inputs = Array.from(form.querySelectorAll("[data-spot]:not(:disabled)"));
    this.spots = this.inputs.map((input) => board.querySelector(input.dataset.spot));
    this.keepList();
    if (!this.inputs.length) return;
    board.setAttribute("role", "group"); // children of role "img" are not accessible
    this.inputs.forEach((input, n) => this.enhance(input, this.spots[n]));
    const again = this.spots.find((spot) => byKeyboard && spot.matches(byKeyboard));
    this.enter(again ?? this.spots[0]);
    if (again) again.focus({ preventScroll: true });
    byKeyboard = null;
    this.show();
  }

  keepList() {
    const list = this.form.querySelector(".list");
    if (!list) return;
    list.open = listOpen || Boolean(this.root.querySelector("#refusal"));
    list.addEventListener("toggle", () => (listOpen = list.open));
  }

  enhance(input, spot) {
    spot.setAttribute("role", "button");
    spot.setAttribute("aria-label", spot.querySelector("title")?.textContent ?? input.textContent);
    spot.setAttribute("tabindex", "-1");
    spot.addEventListener("click", () => this.use(input));
    spot.addEventListener("keydown", (event) => this.press(event, input, spot));
    input.addEventListener("change", () => this.show());
  }

  use(input) {
    const form = input.form;
    if (input.type !== "radio") return form.requestSubmit(input);
    const again = input.checked;
    input.checked = true;
    this.show();
    if (!this.button) return form.requestSubmit(this.form.querySelector("#flip"));
    if (again) form.requestSubmit(this.button);
  }

  press(event, input, spot) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      byKeyboard = input.dataset.spot;
      this.use(input);
      return;
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = nearest(spot, this.spots, way);
    if (!next) return;
    this.enter(next);
    next.focus();
  }

  // Roving tabindex: Tab reaches one spot, the arrow keys reach the others.
  enter(spot) {
    for (const other of this.spots) other.setAttribute("tabindex", other === spot ? "0" : "-1");
  }

  show() {
    if (!this.button) return;
    this.inputs.forEach((input, n) => {
      this.spots[n].toggleAttribute("data-chosen", input.checked);
      this.spots[n].setAttribute("aria-pressed", String(input.checked));
    });
    const chosen = this.inputs.find((input) => input.checked);
    this.button.disabled = !chosen;
    this.button.textContent = chosen ? chosen.dataset.words : "Choose a slot";
    this.form.querySelector("#chosen").textContent = chosen ? chosen.dataset.words : "";
  }
}

// Returns the nearest spot in this direction. Distance across the direction counts double.
function nearest(from, spots, [right, down]) {
  const middle = (spot) => {
    const box = spot.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [x, y] = middle(from);
  let [best, least] = [null, Infinity];
  for (const spot of spots) {
    const [dx, dy] = middle(spot).map((value, n) => value - [x, y][n]);
    const [along, across] = [dx * right + dy * down, Math.abs(dx * down) + Math.abs(dy * right)];
    if (along > 1 && along + 2 * across < least) [best, least] = [spot, along + 2 * across];
  }
  return best;
}
