// The speed of playbacks, as the display settings of this device have it.

const SPEEDS = [
  ["slow", "0.6×"],
  ["normal", "1×"],
  ["fast", "2×"],
];

const now = () => document.documentElement.dataset.pace ?? "normal";

export const speedLabel = () => SPEEDS.find(([name]) => name === now())?.[1] ?? "1×";

// Changes to the next speed on this page immediately. `form`, if there is one, has the settings of this device.
export function nextSpeed(form = null) {
  const next = SPEEDS[(SPEEDS.findIndex(([name]) => name === now()) + 1) % SPEEDS.length][0];
  document.documentElement.dataset.pace = next;
  const field = form?.querySelector(`input[name=pace][value=${next}]`);
  if (!field) return;
  field.checked = true;
  fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" }).catch(() => {});
}
