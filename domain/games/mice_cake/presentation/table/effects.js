// What is special about a round of Mice Cake: bites and crumbs.

const COLOURS = ["#b97a43", "#f2cf96", "#fbd9dc"];

export const effects = {
  mice_exhausted: (beat) => beat.sound("tire"),
  piece_taken: (beat) => Promise.all(beat.facts.filter((fact) => fact.type === "piece_taken").map((fact) => bite(beat, fact.at[0]))),
  game_ended: (beat) => crumbs(beat, beat.stage.querySelector(".cake"), 14),
};

function bite(beat, column) {
  beat.sound("eat");
  return crumbs(beat, beat.stage.querySelector(`.cake-column[data-column="${column}"]`), 5);
}

// Crumbs that fall from the middle of an element. They lie on the layer above the board, which the player removes.
async function crumbs(beat, element, count) {
  if (!element || !beat.pace(1)) return;
  const box = element.getBoundingClientRect();
  const stage = beat.layer.getBoundingClientRect();
  await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const crumb = document.createElement("i");
      crumb.className = "bite";
      const turn = (n / count) * 2 * Math.PI;
      crumb.style.left = `${box.left - stage.left + box.width / 2}px`;
      crumb.style.top = `${box.top - stage.top + box.height / 2}px`;
      crumb.style.background = COLOURS[n % COLOURS.length];
      beat.layer.append(crumb);
      const away = `translate(${Math.cos(turn) * 34}px, ${Math.sin(turn) * 16 + 30}px)`;
      const fall = crumb.animate(
        [{ transform: "none", opacity: 1 }, { transform: away, opacity: 0 }],
        { duration: beat.pace(360), easing: "ease-in", fill: "forwards" },
      );
      beat.signal.addEventListener("abort", () => fall.finish());
      return fall.finished.catch(() => {});
    }),
  );
}
