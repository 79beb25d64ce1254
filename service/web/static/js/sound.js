// Plays a short sound, if the reader has turned sounds on. Each file is fetched when it is first needed.

const NAMES = new Set(["tap", "place", "flip", "roll", "eat", "score", "tire", "bump", "turn", "your-turn", "win", "lose"]);
const OVERLAP = 60; // milliseconds before the same sound may start again

const decoded = new Map();
const played = new Map();
let context = null;

const isOn = () => document.documentElement.dataset.sound === "on";

export async function sound(name) {
  if (!isOn() || !NAMES.has(name) || performance.now() - (played.get(name) ?? -OVERLAP) < OVERLAP) return;
  played.set(name, performance.now());
  try {
    context ??= new AudioContext();
    if (!decoded.has(name)) decoded.set(name, load(name));
    const source = context.createBufferSource();
    source.buffer = await decoded.get(name);
    source.connect(context.destination);
    source.start();
  } catch {
    decoded.delete(name); // a missing sound is better than a broken playback
  }
}

async function load(name) {
  const response = await fetch(new URL(`../sounds/${name}.wav`, import.meta.url));
  return context.decodeAudioData(await response.arrayBuffer());
}
