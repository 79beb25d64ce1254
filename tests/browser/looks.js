// Checks the layout of a page by measuring it in the browser. Each function returns a list of complaints.

function channels(colour) {
  const [red, green, blue, alpha] = colour.match(/[\d.]+/g).map(Number);
  return { rgb: [red, green, blue], alpha: alpha ?? 1 };
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function ground(element) {
  for (let at = element; at; at = at.parentElement) {
    const { rgb, alpha } = channels(getComputedStyle(at).backgroundColor);
    if (alpha > 0.99) return rgb;
  }
  return [255, 255, 255];
}

function counts(element) {
  if (element.closest("svg, .hidden, [hidden], :disabled, [aria-disabled], script")) return false;
  return element.checkVisibility() && !element.closest("label")?.querySelector("input:disabled");
}

// Finds text below 16 px (11 px at a table, where the board and the dock share one screen) or with a contrast to its background below 4.5 (3 for large text).
function hardToRead() {
  const complaints = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const [words, element] = [walker.currentNode.data.trim(), walker.currentNode.parentElement];
    if (!words || !counts(element)) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const [one, other] = [luminance(channels(style.color).rgb), luminance(ground(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < (size >= 24 ? 3 : 4.5)) complaints.push(`${words}: contrast ${ratio.toFixed(2)}`);
    if (size < (element.closest(".table, .film") ? 11 : 16)) complaints.push(`${words}: ${style.fontSize}`);
  }
  return complaints;
}

// Finds touch targets outside of sentences that are less than 44 px high or 38 px wide, or 24 px on a board.
function hardToHit() {
  const touched = "button, summary, nav a, .button, .foot a, .match-row, .choice, .count, .target, .look, .ply, " +
    "input:not([type=hidden], [type=radio], .choice *)";
  return Array.from(document.querySelectorAll(touched))
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("p:not(.foot p)"))
    .filter((element) => getComputedStyle(element).pointerEvents !== "none")
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => {
      const [high, wide] = element.closest("#board") ? [24, 24] : [43.5, 37.5];
      return box.height && (box.height < high || box.width < wide);
    })
    .map(([element, box]) => `${element.outerHTML.slice(0, 80)}: ${box.width.toFixed()} x ${box.height.toFixed()}`);
}
