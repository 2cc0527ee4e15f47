"use strict";
// Tables sort by the column whose head is pressed, numbers as numbers; the filter hides rows.
const key = (row, column) => row.cells[column].textContent.trim();
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const body = table.tBodies[0];
    const down = head.getAttribute("aria-sort") === "ascending";
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    const numeric = rows.every(([text]) => text === "" || !Number.isNaN(Number(text)));
    rows.sort(([a], [b]) => numeric ? Number(a) - Number(b) : a.localeCompare(b));
    if (down) rows.reverse();
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    body.append(...rows.map(([, row]) => row));
  }));
}
const filter = document.getElementById("filter");
if (filter) {
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of document.querySelectorAll("#repositories tbody tr")) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
    }
  });
}
