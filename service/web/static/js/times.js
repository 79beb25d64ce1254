// Shows times, which the server sends in UTC, in the reader's local time.

export function localTimes(root) {
  for (const time of root.querySelectorAll("time.moment")) {
    const at = new Date(time.dateTime);
    time.textContent = at.toLocaleString([], { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  }
}
