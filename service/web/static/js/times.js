// Times are in UTC as the server sends them; here they become those of the reader's own clock.

export function localTimes(root) {
  for (const time of root.querySelectorAll("time.moment")) {
    const at = new Date(time.dateTime);
    time.textContent = at.toLocaleString([], { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  }
}
