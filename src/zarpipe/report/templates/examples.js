// The row labels stand at the beginning of every line into which a sentence wraps.
function labelLines(gloss) {
  const columns = gloss.querySelector(".columns");
  const [labels, ...copies] = gloss.querySelectorAll(".labels");
  copies.forEach((copy) => copy.remove());
  columns.style.paddingLeft = Math.ceil(labels.getBoundingClientRect().width) + 8 + "px";
  for (const column of columns.children) fitColumn(column);
  let top = null;
  for (const column of columns.children) {
    if (column.offsetTop === top) continue;
    const first = top === null;
    top = column.offsetTop;
    const here = first ? labels : labels.cloneNode(true);
    here.style.top = top + "px";
    if (!first) gloss.append(here);
  }
}

// A token that is wider than the page is written smaller, so that nothing is cut off.
function fitColumn(column) {
  column.style.fontSize = "";
  if (column.scrollWidth > column.clientWidth) column.style.fontSize = Math.floor(100 * column.clientWidth / column.scrollWidth) + "%";
}

const filters = document.querySelector(".filters");
const articles = [...document.querySelectorAll("article")];

function labelAll() {
  articles.filter((article) => !article.hidden).forEach((article) => labelLines(article.querySelector(".gloss")));
}

function applyFilters() {
  const chosen = new FormData(filters);
  const sets = new Set(chosen.getAll("set"));
  const [alpha, right] = [chosen.get("alpha"), chosen.get("right")];
  for (const copy of document.querySelectorAll("article .copy")) {
    copy.hidden = !sets.has(copy.dataset.set) || (right !== "" && copy.dataset.right !== right);
  }
  for (const article of articles) {
    article.hidden = (alpha !== "" && article.dataset.alpha !== alpha) || !article.querySelector(".said .copy:not([hidden])");
  }
  const shown = articles.filter((article) => !article.hidden).length;
  document.getElementById("count").textContent = `${shown} of ${articles.length} sentences`;
  labelAll();
}

if (filters) {
  filters.addEventListener("change", applyFilters);
  applyFilters();
  let known = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== known) { known = innerWidth; labelAll(); } });
  document.fonts.ready.then(labelAll);
}
