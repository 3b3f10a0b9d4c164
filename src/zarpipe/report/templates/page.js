"use strict";
// Tooltips: any element with data-tip (text) or data-words (JSON: [[word, probability], ...]) shows one on hover and focus.
const tip = document.getElementById("tip");
let tipOwner = null;

function showTip(element) {
  tipOwner = element;
  tip.replaceChildren();
  if (element.dataset.words) tip.append(wordTable(element.dataset.head, JSON.parse(element.dataset.words)));
  else tip.textContent = element.dataset.tip;
  placeTip(element.getBoundingClientRect());
  tip.classList.add("shown");
}

function placeTip(box) {
  const width = tip.offsetWidth, height = tip.offsetHeight, gap = 10, edge = 8;
  const middle = box.left + box.width / 2 - width / 2;
  const above = box.top - height - gap;
  tip.style.left = Math.max(edge, Math.min(middle, document.documentElement.clientWidth - width - edge)) + "px";
  tip.style.top = (above >= edge ? above : box.bottom + gap) + "px";
}

function hideTip() {
  tipOwner = null;
  tip.classList.remove("shown");
}

function wordTable(head, words) {
  const holder = document.createElement("div");
  holder.append(head);
  const table = document.createElement("table");
  for (const [word, probability] of words) {
    const row = table.insertRow();
    row.insertCell().textContent = word;
    row.insertCell().textContent = probability.toFixed(3);
    const bar = document.createElement("span");
    bar.className = "bar";
    bar.style.width = 90 * probability + "px";
    row.insertCell().append(bar);
  }
  holder.append(table);
  return holder;
}

const tipTarget = (event) => event.target.closest?.("[data-tip], [data-words]");
document.addEventListener("pointerover", (event) => { const target = tipTarget(event); if (target) showTip(target); });
document.addEventListener("pointerout", (event) => { if (tipTarget(event) === tipOwner) hideTip(); });
document.addEventListener("focusin", (event) => { const target = tipTarget(event); if (target) showTip(target); });
document.addEventListener("focusout", hideTip);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, { passive: true });

// Tables: sort by a heading (first click: numbers from high to low, text from a to z; then the other way; then as written).
function sortTable(table, column, direction) {
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((a, b) => a.dataset.place - b.dataset.place);
  if (direction) {
    const numeric = table.tHead.rows[0].cells[column].classList.contains("number");
    const value = (row) => row.cells[column].dataset.value;
    const sign = direction === "ascending" ? 1 : -1;
    rows.sort((a, b) => {
      const [one, other] = [value(a), value(b)];
      if (one === "" || other === "") return (one === "") - (other === "");
      return sign * (numeric ? one - other : one.localeCompare(other, undefined, { numeric: true }));
    });
  }
  body.append(...rows);
  [...table.tHead.rows[0].cells].forEach((cell, place) => {
    if (place === column && direction) cell.setAttribute("aria-sort", direction);
    else cell.removeAttribute("aria-sort");
  });
}

function nextDirection(heading) {
  const order = heading.classList.contains("number") ? ["descending", "ascending"] : ["ascending", "descending"];
  return [...order, null][order.indexOf(heading.getAttribute("aria-sort")) + 1];
}

function prepareTable(table) {
  [...table.tBodies[0].rows].forEach((row, place) => { row.dataset.place = place; });
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    heading.firstElementChild.addEventListener("click", () => sortTable(table, column, nextDirection(heading)));
  });
}

// On paper nothing scrolls: a table that does not fit becomes a list of cards, one per row.
function fitTable(table) {
  const scroll = table.parentElement;
  table.classList.remove("cards");
  table.classList.toggle("cards", table.scrollWidth > scroll.clientWidth);
}

// Where a table goes on to the right, its edge says so.
function cueScroll(scroll) {
  const more = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > 4;
  scroll.parentElement.classList.toggle("goes-on", more);
}

document.querySelectorAll(".sortable > .scroll").forEach((scroll) => {
  scroll.addEventListener("scroll", () => cueScroll(scroll), { passive: true });
  const watch = new ResizeObserver(() => cueScroll(scroll));
  watch.observe(scroll);
  watch.observe(scroll.firstElementChild);
});

const tables = [...document.querySelectorAll(".sortable table")];
tables.forEach(prepareTable);
function fitTables() { tables.filter((table) => table.offsetParent).forEach(fitTable); }
function unfitTables() { tables.forEach((table) => table.classList.remove("cards")); }
const paper = matchMedia("print");
paper.addEventListener("change", () => (paper.matches ? fitTables() : unfitTables()));
addEventListener("beforeprint", fitTables);
addEventListener("afterprint", unfitTables);

// Buttons that copy the text beside them; where the page may not, the text is selected to be copied by hand.
document.querySelectorAll("button.copy").forEach((button) => {
  const label = button.textContent, text = button.nextElementSibling;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected, copy it now";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });
});
