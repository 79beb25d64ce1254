// Dragging a mouse to a column, or away from the cake to take it back.

const SLIP = 7; // pixels that a pointer can move during a tap

// Lets the mice of a form be dragged. A drag ends with the same choice as taps.
export function dragMice(form) {
  for (const mouse of form.mice) {
    mouse.classList.add("draggable");
    mouse.addEventListener("pointerdown", (event) => press(form, mouse, event));
  }
}

function press(form, mouse, down) {
  if (down.button !== 0) return;
  const from = mouse.closest(".slot")?.dataset.column ?? null;
  let shown = null;
  let over = null;
  const move = (event) => {
    if (!shown && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < SLIP) return;
    shown ??= lift(mouse);
    shown.style.transform = `translate(${event.clientX - 22}px, ${event.clientY - 40}px)`;
    over = columnAt(form, event);
    mark(form, over);
    event.preventDefault();
  };
  const end = (event) => {
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", end);
    document.removeEventListener("pointercancel", end);
    mark(form, null);
    if (!shown) return;
    shown.remove();
    mouse.style.opacity = "";
    if (event.type === "pointerup") {
      swallowClick();
      drop(form, from, over);
    }
  };
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", end);
  document.addEventListener("pointercancel", end);
}

function lift(mouse) {
  const shown = mouse.cloneNode(true);
  delete shown.dataset.piece;
  shown.classList.replace("draggable", "dragged"); // what lies under the pointer is the column
  document.body.append(shown);
  mouse.style.opacity = ".3";
  return shown;
}

function columnAt(form, { clientX, clientY }) {
  const column = document.elementFromPoint(clientX, clientY)?.closest("#board [data-column]")?.dataset.column;
  return form.columns.has(column) ? column : null;
}

function mark(form, column) {
  for (const node of form.board.querySelectorAll("[data-column]")) node.classList.toggle("over", node.dataset.column === column && column !== null);
}

function drop(form, from, to) {
  if (from === to) return;
  if (from) form.set(from, form.at(from) - 1);
  if (to) form.add(to);
}

// The click that follows a drag must not count as a tap.
function swallowClick() {
  const stop = (event) => event.stopPropagation();
  document.addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => document.removeEventListener("click", stop, { capture: true }), 50);
}
