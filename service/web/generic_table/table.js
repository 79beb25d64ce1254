// Lets players click the board instead of the list for moves with a single field.

export function setUp(root) {
  const board = root.querySelector("#board");
  const radios = Array.from(root.querySelectorAll("input[name=move][data-field]"));
  const button = root.querySelector("#send");
  const spots = radios.map((radio) => [radio, board?.querySelector(spot(radio))]).filter(([, found]) => found);

  for (const [radio, found] of spots) {
    const label = radio.closest("label").textContent.trim();
    found.dataset.clickable = "";
    found.setAttribute("pointer-events", "all");
    found.setAttribute("role", "button");
    found.setAttribute("aria-label", label);
    found.setAttribute("tabindex", "0");
    found.addEventListener("click", () => choose(radio, found));
    found.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(radio, found);
    });
    radio.addEventListener("change", show);
  }

  // The first click chooses the move, the second plays it.
  function choose(radio, found) {
    if (radio.checked) return radio.form.requestSubmit(button);
    radio.checked = true;
    show();
    found.focus?.();
  }

  function show() {
    for (const [radio, found] of spots) found.toggleAttribute("data-chosen", radio.checked);
    if (button) button.textContent = radios.some((radio) => radio.checked) ? "Play it" : "Play";
  }

  show();
  return { keep: () => null };
}

function spot(radio) {
  const field = radio.dataset.field.replaceAll("_", "-");
  return `[data-${CSS.escape(field)}="${CSS.escape(radio.dataset.value)}"]`;
}
