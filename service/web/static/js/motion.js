// Moves the pieces of a board from one picture to the next. A piece is an element with `data-piece`, `data-face` says
// what it shows, and `data-count` names a number. Pieces are joined by these ids: they travel, flip, appear and leave.

const TRAVEL = { least: 280, perPixel: 0.4, most: 520, easing: "cubic-bezier(.3,.05,.2,1)" };
const FLIP = 360;
const ROLL = 520;
const APPEAR = 300;
const LEAVE = 300;
const COUNT = 520;
const OVERLAP = 60; // between pieces that move in the same beat
const MOST_OVERLAP = 180;
const SHORTEST = 200; // no motion is shorter at normal speed, so that it can be seen
const MARK = 600;

const marks = new Map(); // until when a piece is outlined

// Returns the pieces of a board by id: their place relative to the board, what they show, and their element.
export function pieces(board) {
  const origin = board.getBoundingClientRect();
  const found = new Map();
  for (const node of board.querySelectorAll("[data-piece]")) {
    const box = node.getBoundingClientRect();
    const parent = node.parentElement.closest("[data-piece]");
    found.set(node.dataset.piece, {
      node,
      face: node.dataset.face,
      owner: parent && board.contains(parent) ? parent.dataset.piece : null,
      x: box.left + box.width / 2 - origin.left,
      y: box.top + box.height / 2 - origin.top,
      width: box.width,
      height: box.height,
    });
  }
  return found;
}

export function counts(board) {
  return new Map(Array.from(board.querySelectorAll("[data-count]"), (node) => [node.dataset.count, { node, text: node.textContent }]));
}

// Returns what differs between two sets of pieces.
export function compare(before, after) {
  const change = { moved: [], turned: [], came: [], left: [] };
  for (const [id, now] of after) {
    const then = before.get(id);
    if (!then) change.came.push(id);
    else if (now.width && then.width) {
      if (then.face !== now.face) change.turned.push(id);
      if (isElsewhere(then, now, before, after)) change.moved.push(id);
    }
  }
  for (const id of before.keys()) if (!after.has(id)) change.left.push(id);
  return change;
}

function isElsewhere(then, now, before, after) {
  const { x, y } = shift(then, now, before, after);
  return Math.hypot(x, y) > 1 || Math.abs(then.width - now.width) > 2 || Math.abs(then.height - now.height) > 2;
}

// Returns how far a piece has come, without what the piece that carries it has moved.
function shift(then, now, before, after) {
  const carried = now.owner !== null && now.owner === then.owner && before.get(now.owner);
  const base = carried ? after.get(now.owner) : null;
  return {
    x: then.x - now.x - (base ? carried.x - base.x : 0),
    y: then.y - now.y - (base ? carried.y - base.y : 0),
  };
}

// Puts new content into a board and keeps the old one as an invisible layer over it, so that pieces that leave keep
// their looks. Returns that layer.
export function replaceContent(board, content) {
  const layer = document.createElement("div");
  layer.className = "left-behind";
  layer.setAttribute("aria-hidden", "true");
  layer.inert = true;
  layer.append(...Array.from(board.childNodes).filter((node) => !node.classList?.contains("left-behind") && !node.classList?.contains("flying")));
  hideIds(layer);
  board.replaceChildren(content, layer);
  return layer;
}

// Takes the ids out of a layer of old content, so that scripts and styles find only the current one.
function hideIds(layer) {
  for (const node of layer.querySelectorAll("[id]")) if (!node.closest("defs, symbol")) node.removeAttribute("id");
  for (const node of layer.querySelectorAll("[data-piece]")) {
    node.dataset.left = node.dataset.piece;
    delete node.dataset.piece;
  }
  for (const node of layer.querySelectorAll("[data-count]")) delete node.dataset.count;
}

// Animates a change of a board. `timing` has `pace` (a factor), `sound` and `signal`. Returns a promise that is resolved
// when everything is still.
export async function animate(board, before, after, change, timing) {
  const running = [];
  const start = (node, frames, options) => {
    const animation = node.animate(frames, { fill: "backwards", ...options });
    running.push(animation);
    return animation;
  };
  const late = delays([...change.moved, ...change.turned.filter((id) => !change.moved.includes(id))], timing);
  const lifted = [];
  for (const id of change.moved) {
    const [then, now] = [before.get(id), after.get(id)];
    const by = shift(then, now, before, after);
    travel(now.node, by, sizes(then, now), { delay: late.get(id), timing, start });
    lifted.push(lift(now.node, board));
  }
  for (const id of change.turned) {
    const [then, now] = [before.get(id), after.get(id)];
    const by = change.moved.includes(id) ? shift(then, now, before, after) : { x: 0, y: 0 };
    turn(then.node, now.node, by, { delay: late.get(id), timing, start });
  }
  for (const id of change.came) appear(after.get(id), before, after, { timing, start });
  for (const id of change.left) leave(before.get(id), change, { timing, start });
  if (change.moved.length) timing.sound("place");
  if (change.turned.length) timing.sound("flip");
  timing.signal.addEventListener("abort", () => running.forEach((animation) => animation.finish()), { once: true });
  if (timing.signal.aborted) running.forEach((animation) => animation.finish());
  await Promise.allSettled(running.map((animation) => animation.finished));
  for (const drop of lifted) drop();
}

// Returns how long a motion of this many milliseconds takes.
export function lasting(milliseconds, timing) {
  return Math.max(Math.min(SHORTEST, milliseconds), milliseconds * timing.squeeze) * timing.pace();
}

function delays(ids, timing) {
  const step = Math.min(OVERLAP, MOST_OVERLAP / Math.max(1, ids.length - 1));
  return new Map(ids.map((id, n) => [id, n * step * timing.squeeze * timing.pace()]));
}

// Returns how much wider and higher a piece was before.
const sizes = (then, now) => [then.width / now.width || 1, then.height / now.height || 1];

function travel(node, { x, y }, size, { delay, timing, start }) {
  const far = Math.hypot(x, y);
  const unit = userUnit(node);
  const [dx, dy] = [x / unit, y / unit];
  const arc = (0.12 * far) / unit;
  const duration = lasting(Math.min(TRAVEL.most, TRAVEL.least + TRAVEL.perPixel * far), timing);
  start(
    node,
    [
      { translate: `${dx}px ${dy}px`, scale: size.join(" ") },
      { translate: `${dx / 2}px ${dy / 2 - arc}px`, scale: size.map((each) => ((each + 1) / 2) * 1.06).join(" ") },
      { translate: "0px 0px", scale: "1" },
    ],
    { duration, delay, easing: TRAVEL.easing },
  );
}

// The old face turns away until it is edge-on, then the new one turns up.
function turn(old, node, { x, y }, { delay, timing, start }) {
  const kind = node.dataset.motion;
  const duration = lasting(kind === "roll" ? ROLL : FLIP, timing);
  if (kind === "roll") return roll(node, { delay, duration, start });
  const half = { duration: duration / 2, delay };
  const away = kind === "fade" ? [{ opacity: 1 }, { opacity: 0 }] : [{ rotate: "y 0deg" }, { rotate: "y 90deg" }];
  const up = kind === "fade" ? [{ opacity: 0 }, { opacity: 1 }] : [{ rotate: "y -90deg" }, { rotate: "y 0deg" }];
  old.style.visibility = "visible";
  start(old, away, { ...half, easing: "ease-in", fill: "both" });
  start(old, [{ opacity: 1 }, { opacity: 0 }], { duration: 1, delay: delay + duration / 2, fill: "forwards", composite: "replace" });
  if (x || y) start(old, [{ translate: "0px 0px" }, { translate: `${-x / 2}px ${-y / 2}px` }], { ...half, fill: "both" });
  start(node, up, { duration: duration / 2, delay: delay + duration / 2, easing: "ease-out" });
  start(node, [{ opacity: 0 }, { opacity: 0 }], { duration: delay + duration / 2 });
}

function roll(node, { delay, duration, start }) {
  start(
    node,
    [
      { translate: "-48px -28px", rotate: "-540deg", opacity: 0.2 },
      { translate: "-12px -10px", rotate: "-160deg", opacity: 1, offset: 0.6 },
      { translate: "0px 0px", rotate: "0deg", opacity: 1 },
    ],
    { duration, delay, easing: "cubic-bezier(.2,.7,.3,1)" },
  );
}

// A piece with `data-from` travels from the piece of that name, such as a card from its deck.
function appear({ node, x, y }, before, after, { timing, start }) {
  const source = before.get(node.dataset.from) ?? after.get(node.dataset.from);
  if (source && source.width) {
    return travel(node, { x: source.x - x, y: source.y - y }, [1, 1], { delay: 0, timing, start });
  }
  if (node.dataset.motion === "roll") return roll(node, { delay: 0, duration: lasting(ROLL, timing), start });
  start(node, [{ scale: "0.8", opacity: 0 }, { scale: "1", opacity: 1 }], {
    duration: lasting(APPEAR, timing),
    easing: "cubic-bezier(.2,.9,.3,1.2)",
  });
}

// A piece leaves in the old layer. What it carried and what stays on the board is not shown twice.
function leave({ node }, change, { timing, start }) {
  if (node.parentElement?.closest("[data-left]")?.style.visibility === "visible") return; // it leaves with its carrier
  node.style.visibility = "visible";
  for (const part of node.querySelectorAll("[data-left]")) {
    if (!change.left.includes(part.dataset.left)) part.style.visibility = "hidden";
  }
  start(node, [{ scale: "1", opacity: 1 }, { scale: "0.85", opacity: 0 }], {
    duration: lasting(LEAVE, timing),
    easing: "cubic-bezier(.5,0,.9,.4)",
    fill: "forwards",
  });
}

// Lifts a piece over its neighbours while it moves. Returns a function that sets it down.
function lift(node, board) {
  node.dataset.moving = "";
  const holders = [];
  for (let holder = node.parentElement; holder && holder !== board; holder = holder.parentElement) holders.push(holder);
  for (const holder of holders) holder.dataset.lifted = "";
  return () => {
    delete node.dataset.moving;
    for (const holder of holders) delete holder.dataset.lifted;
  };
}

// Returns how many CSS pixels a unit of length has: 1, except inside a scaled SVG.
function userUnit(node) {
  const matrix = node instanceof SVGElement && node.ownerSVGElement ? node.getScreenCTM() : null;
  return matrix?.a || 1;
}

// Counts numbers up or down, and shows the difference as it flies in from `source`, a place on the board.
export function count(board, before, after, timing, source) {
  const ticking = [];
  for (const [id, now] of after) {
    const [from, to] = [before.get(id)?.text.trim(), now.text.trim()];
    if (from === undefined || from === to || !/^-?\d[\d,]*$/.test(from) || !/^-?\d[\d,]*$/.test(to)) continue;
    const [first, last] = [from, to].map((text) => Number(text.replaceAll(",", "")));
    const gain = last - first;
    if (gain > 0) {
      fly(board, `+${gain.toLocaleString("en-US")}`, source, now.node, timing);
      timing.sound("score");
    }
    ticking.push(tick(now.node, first, last, to, timing));
  }
  return Promise.all(ticking);
}

async function tick(node, first, last, text, timing) {
  const total = lasting(COUNT, timing);
  const begin = performance.now();
  const grouped = text.includes(",");
  const width = node.getBoundingClientRect().width;
  Object.assign(node.style, { display: "inline-block", width: `${width}px` }); // nothing next to it moves as it counts
  while (!timing.signal.aborted && node.isConnected) {
    const part = Math.min(1, (performance.now() - begin) / total);
    if (part === 1) break;
    const shown = Math.round(first + (last - first) * part);
    node.textContent = grouped ? shown.toLocaleString("en-US") : String(shown);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  node.textContent = text;
  Object.assign(node.style, { display: "", width: "" });
}

// Lets a few words fly over the board, from a place or an element to an element.
export async function fly(board, words, source, target, timing) {
  const origin = board.getBoundingClientRect();
  const middle = (node) => {
    const box = node.getBoundingClientRect();
    return { x: box.left + box.width / 2 - origin.left, y: box.top + box.height / 2 - origin.top };
  };
  const end = middle(target);
  const begin = source instanceof Element ? middle(source) : (source ?? { x: end.x, y: end.y + 24 });
  const label = document.createElement("span");
  label.className = "flying";
  label.setAttribute("aria-hidden", "true");
  label.textContent = words;
  board.append(label);
  const at = (place) => `${place.x}px ${place.y}px`;
  const animation = label.animate(
    [
      { translate: at(begin), scale: "0.8", opacity: 0 },
      { translate: at(begin), scale: "1.1", opacity: 1, offset: 0.2 },
      { translate: at(end), scale: "1", opacity: 1, offset: 0.9 },
      { translate: at(end), scale: "0.8", opacity: 0 },
    ],
    { duration: lasting(COUNT, timing), easing: "ease-in-out" },
  );
  timing.signal.addEventListener("abort", () => animation.finish(), { once: true });
  await animation.finished.catch(() => {});
  label.remove();
}

// For readers who want no motion: outlines what has changed, for the same time even if the page is replaced meanwhile.
// The time begins with the first frame that shows the outline.
export function mark(board, change) {
  const now = performance.now();
  for (const id of [...change.moved, ...change.turned, ...change.came]) marks.set(id, now + MARK);
  for (const [id, until] of marks) {
    const node = board.querySelector(`[data-piece="${CSS.escape(id)}"]`);
    if (until <= now) marks.delete(id);
    else if (node) {
      node.dataset.changed = "";
      const end = () => marks.get(id) > performance.now() + 1 || delete node.dataset.changed;
      requestAnimationFrame(() => setTimeout(end, until - now));
    }
  }
}
