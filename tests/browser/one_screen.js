// Checks that a table fits the screen: nothing scrolls, targets are in view, uncovered and large enough, and no text is
// smaller than 11 pixels. Returns a list of complaints.
function oneScreen(targets) {
  const complaints = [];
  const name = (node) => node.getAttribute("aria-label") || node.className || node.id;
  const isCovered = (node, box) => {
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return !top || !(node.contains(top) || top.contains(node));
  };
  for (const node of document.querySelectorAll(targets)) {
    const box = node.getBoundingClientRect();
    if (!node.checkVisibility() || !box.width) continue;
    const isInView = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight + 0.5 && box.right <= innerWidth + 0.5;
    if (!isInView) complaints.push(`${name(node)} is out of view`);
    else if (isCovered(node, box)) complaints.push(`${name(node)} is covered`);
    if (box.height < 43.5 || box.width < 43.5) complaints.push(`${name(node)}: ${box.width} x ${box.height}`);
  }
  for (const part of document.querySelectorAll(".tools, .board-area, #board")) {
    if (part.scrollHeight > part.clientHeight + 1) complaints.push(`${name(part)} scrolls: ${part.scrollHeight} in ${part.clientHeight}`);
  }
  if (document.documentElement.scrollHeight > innerHeight || scrollY) complaints.push("the page scrolls");
  const words = document.createTreeWalker(document.querySelector("#live"), NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const parent = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || !parent.checkVisibility() || parent.closest(".hidden, .sheet-body")) continue;
    if (parseFloat(getComputedStyle(parent).fontSize) < 11) complaints.push(`${words.currentNode.data}: too small`);
  }
  return complaints;
}
