"use strict";
// Headings become buttons that sort their column: largest first, smallest first, the original order. What a number is
// sorted by stands in data-value; what has none comes last. Every sort is announced.
document.documentElement.classList.add("js");
const announcement = document.getElementById("announcement");
const letters = new Intl.Collator(document.documentElement.lang);

for (const table of document.querySelectorAll("table.results")) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  if (original.length < 2) continue;
  heads.forEach((head, place) => {
    if (head.classList.contains("quiet")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.ariaSort = "none";
    const numbers = original.some((row) => row.cells[place].dataset.value !== undefined);
    const orders = numbers ? ["descending", "ascending", "none"] : ["ascending", "descending", "none"];
    button.addEventListener("click", () => {
      const order = orders[(orders.indexOf(head.ariaSort) + 1) % 3];
      for (const other of heads) if (other.ariaSort) other.ariaSort = "none";
      head.ariaSort = order;
      body.append(...(order === "none" ? original : sorted(original, place, numbers, order === "ascending" ? 1 : -1)));
      announce(table, button, numbers, order);
    });
  });
}

function sorted(rows, place, numbers, sign) {
  const keys = new Map(rows.map((row) => [row, numbers ? row.cells[place].dataset.value : row.cells[place].innerText]));
  const compared = (a, b) => (numbers ? a - b : letters.compare(a, b));
  const known = rows.filter((row) => keys.get(row) !== undefined);
  known.sort((a, b) => sign * compared(keys.get(a), keys.get(b)));
  return [...known, ...rows.filter((row) => keys.get(row) === undefined)];
}

function announce(table, button, numbers, order) {
  const words = { ascending: "alphabetical", descending: "reversed", none: "unsorted" };
  const said = numbers && order !== "none" ? order : words[order];
  announcement.textContent = announcement.dataset[said]
    .replace("{table}", () => table.caption.textContent)
    .replace("{column}", () => button.textContent);
}
