// Measures the frame of a table at scroll 0. `problems` returns what doesn't fit or is covered.

function problems(selectors) {
  const found = [];
  if (document.documentElement.scrollHeight > innerHeight) found.push(`the page is ${document.documentElement.scrollHeight} px high`);
  if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  for (const selector of selectors) {
    const element = document.querySelector(selector);
    if (!element) { found.push(`${selector} is missing`); continue; }
    const box = element.getBoundingClientRect();
    if (!box.width || !box.height) found.push(`${selector} is empty`);
    if (box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5) found.push(`${selector} is outside: ${JSON.stringify(box)}`);
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (top && !element.contains(top) && !top.contains(element)) found.push(`${selector} is covered by ${top.outerHTML.slice(0, 80)}`);
  }
  return found;
}
