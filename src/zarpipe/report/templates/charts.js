// Charts in SVG, drawn at the width that there is, so that text keeps its size.
const SVG = "http://www.w3.org/2000/svg";
const DASHES = ["", "7 3", "", "2 2", "7 2 2 2", "4 2"];
const MARKS = [
  "M4,0A4,4 0 1 1 -4,0A4,4 0 1 1 4,0Z", "M-3.7,-3.7H3.7V3.7H-3.7Z", "M0,-4.8L4.6,3.4H-4.6Z",
  "M0,-5L5,0L0,5L-5,0Z", "M0,4.8L4.6,-3.4H-4.6Z", "M-1.5,-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
];
const LABEL_PLACES = [[7, -6], [7, 13], [-7, -7], [-7, 14], [10, 4]];

function draw(parent, name, attributes = {}, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

const path = (points) => points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`).join("");

function axes(svg, box, x, y, xTicks, yTicks) {
  for (const tick of yTicks) {
    draw(svg, "line", { class: "grid", x1: box.left, x2: box.right, y1: y(tick), y2: y(tick) });
    draw(svg, "text", { class: "faint", x: box.left - 6, y: y(tick) + 4, "text-anchor": "end" }, tick);
  }
  for (const tick of xTicks) {
    draw(svg, "text", { class: "faint", x: x(tick), y: box.bottom + 17, "text-anchor": "middle" }, tick);
  }
  draw(svg, "line", { class: "grid", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom });
}

// The arrow keys go through the elements; Tab enters and leaves them.
function walkable(elements) {
  elements.forEach((element, place) => {
    element.setAttribute("tabindex", place ? -1 : 0);
    element.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      elements[(place + step + elements.length) % elements.length].focus();
    });
    element.addEventListener("focus", () => {
      elements.forEach((other) => other.setAttribute("tabindex", other === element ? 0 : -1));
    });
  });
}

// Figure 3.
function drawFigure3(holder, figure, hidden) {
  const width = holder.clientWidth, height = Math.max(300, Math.min(460, width * 0.55));
  const box = { left: 46, right: width - 12, top: 26, bottom: height - 46 };
  const lines = figure.lines.filter((line) => !hidden.has(line.name));
  const shown = lines.flatMap((line) => line.points);
  const values = [...shown.flatMap((one) => [one.y - one.se, one.y + one.se]),
    figure.baseline.y - figure.baseline.se, figure.baseline.y + figure.baseline.se];
  const pad = 0.08 * (Math.max(...values) - Math.min(...values)) || 1;
  const [low, high] = [Math.min(...values) - pad, Math.max(...values) + pad];
  const most = Math.max(1, ...figure.lines.flatMap((line) => line.points).map((one) => one.x)) * 1.02;
  const x = scale(0, most, box.left, box.right - 16), y = scale(low, high, box.bottom, box.top);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", holder.dataset.label);
  axes(svg, box, x, y, ticks(0, most, width / 110), ticks(low, high, 6));
  draw(svg, "text", { class: "faint", x: 0, y: 12 }, "ZAR F1 on dev (%)");
  draw(svg, "text", { class: "faint", x: (box.left + box.right) / 2, y: height - 6, "text-anchor": "middle" },
    "masked tokens (% of all training tokens)");
  drawBaseline(svg, figure.baseline, box, y);
  lines.forEach((line) => drawLine(svg, line, x, y));
  holder.replaceChildren(svg);
  walkable([...svg.querySelectorAll("[data-tip]")]);
}

function drawBaseline(svg, baseline, box, y) {
  const group = draw(svg, "g", { class: "baseline", role: "img", "data-tip": baseline.tip, "aria-label": baseline.tip });
  draw(group, "rect", { x: box.left, width: box.right - box.left, y: y(baseline.y + baseline.se),
    height: Math.max(0, y(baseline.y - baseline.se) - y(baseline.y + baseline.se)), fill: "var(--faint)", opacity: 0.16 });
  draw(group, "line", { x1: box.left, x2: box.right, y1: y(baseline.y), y2: y(baseline.y), stroke: "var(--faint)",
    "stroke-width": 1.5, "stroke-dasharray": "9 4" });
  draw(group, "rect", { class: "ring", x: box.left, width: box.right - box.left, y: y(baseline.y) - 5, height: 10, rx: 3 });
  draw(group, "text", { class: "halo faint", x: box.right, y: y(baseline.y) - 5, "text-anchor": "end" }, "baseline");
}

function drawLine(svg, line, x, y) {
  const color = `var(--line${line.style})`;
  const [dx, dy] = LABEL_PLACES[line.style % LABEL_PLACES.length];
  const points = line.points.map((one) => [x(one.x), y(one.y)]);
  const group = draw(svg, "g", { class: "line", "data-name": line.name });
  draw(group, "path", { d: path(points), fill: "none", stroke: color, "stroke-width": 1.8, "stroke-dasharray": DASHES[line.style] });
  line.points.forEach((one, place) => {
    const [px, py] = points[place];
    const point = draw(group, "g", { class: "point", role: "img", "data-tip": one.tip, "aria-label": one.tip,
      transform: `translate(${px.toFixed(1)},${py.toFixed(1)})` });
    const reach = y(one.y - one.se) - py;
    if (reach > 0) draw(point, "path", { d: `M0,${-reach}V${reach}M-3,${-reach}H3M-3,${reach}H3`, stroke: color, "stroke-width": 1, opacity: 0.75 });
    draw(point, "circle", { class: "ring", r: 9 });
    draw(point, "circle", { r: 11, fill: "transparent" });
    draw(point, "path", { d: MARKS[line.style], fill: color });
    draw(point, "text", { class: "halo", x: dx, y: dy, "text-anchor": dx > 0 ? "start" : "end", style: `fill:${color}` }, one.label);
  });
}

function drawLegend(list, figure, hidden, redraw) {
  for (const line of figure.lines) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    const svg = document.createElementNS(SVG, "svg");
    for (const [key, value] of [["width", 30], ["height", 12], ["viewBox", "-15 -6 30 12"], ["aria-hidden", "true"]]) svg.setAttribute(key, value);
    const color = `var(--line${line.style})`;
    draw(svg, "path", { d: "M-15,0H15", stroke: color, "stroke-width": 1.8, "stroke-dasharray": DASHES[line.style] });
    draw(svg, "path", { d: MARKS[line.style], fill: color });
    button.append(svg, line.title);
    button.addEventListener("click", () => {
      if (!hidden.delete(line.name)) hidden.add(line.name);
      button.setAttribute("aria-pressed", String(!hidden.has(line.name)));
      redraw();
    });
    const fade = (away) => list.parentElement.querySelectorAll("g.line").forEach((group) =>
      group.classList.toggle("away", away && !hidden.has(line.name) && group.dataset.name !== line.name));
    for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => fade(true));
    for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => fade(false));
    list.append(document.createElement("li"));
    list.lastChild.append(button);
  }
}

// Forest plot: a line per difference, its interval, and zero.
function chosenDifferences(rows) {
  const value = (name) => document.querySelector(`input[name=forest-${name}]:checked`).value;
  const category = value("category"), setting = value("setting");
  const shown = rows.filter((row) => (!category || row.category === category) && (!setting || row.setting === setting));
  return value("sort") ? shown.toSorted((one, other) => other.difference - one.difference) : shown;
}

function drawForest(holder, rows) {
  const width = holder.clientWidth, narrow = width < 620, lineHeight = narrow ? 40 : 24;
  const left = narrow ? 6 : Math.min(0.55 * width, 470), height = 24 + rows.length * lineHeight + 40;
  const box = { left, right: width - 10, top: 16, bottom: height - 36 };
  const ends = rows.flatMap((row) => [row.difference, row.low ?? row.difference, row.high ?? row.difference]);
  const low = Math.min(0, ...ends), high = Math.max(0, ...ends), pad = 0.04 * (high - low) || 1;
  const x = scale(low - pad, high + pad, box.left, box.right);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", holder.dataset.label);
  for (const tick of ticks(low - pad, high + pad, Math.max(3, (box.right - box.left) / 90))) {
    draw(svg, "line", { class: "grid", x1: x(tick), x2: x(tick), y1: box.top, y2: box.bottom });
    draw(svg, "text", { class: "faint", x: x(tick), y: box.bottom + 16, "text-anchor": "middle" }, signed(tick));
  }
  draw(svg, "line", { x1: x(0), x2: x(0), y1: box.top, y2: box.bottom, stroke: "var(--ink)", "stroke-width": 1.2 });
  draw(svg, "text", { class: "faint", x: (box.left + box.right) / 2, y: height - 4, "text-anchor": "middle" }, "points of F1");
  rows.forEach((row, place) => drawDifference(svg, row, x, box.top + (place + 0.5) * lineHeight, left, narrow));
  holder.replaceChildren(svg);
  walkable([...svg.querySelectorAll("[data-tip]")]);
}

function drawDifference(svg, row, x, middle, left, narrow) {
  const single = row.setting === "single models", color = single ? "var(--line2)" : "var(--line5)";
  const y = narrow ? middle + 9 : middle;
  const group = draw(svg, "g", { class: "difference", role: "img", "data-tip": row.tip, "aria-label": row.tip });
  const words = `${row.label} (${row.category}${single ? "" : ", ensemble"})`;
  const label = draw(group, "text", { x: narrow ? left : left - 12, y: narrow ? middle - 5 : middle + 4,
    "text-anchor": narrow ? "start" : "end", class: "name halo" }, words);
  const room = narrow ? svg.viewBox.baseVal.width - 12 : left - 16;
  label.setAttribute("data-room", room);
  if (row.low !== null) draw(group, "line", { x1: x(row.low), x2: x(row.high), y1: y, y2: y, stroke: color, "stroke-width": 2 });
  draw(group, "circle", { class: "ring", cx: x(row.difference), cy: y, r: 9 });
  draw(group, "rect", { x: x(row.low ?? row.difference) - 11, width: x(row.high ?? row.difference) - x(row.low ?? row.difference) + 22,
    y: y - 10, height: 20, fill: "transparent" });
  draw(group, "path", { d: MARKS[single ? 0 : 1], transform: `translate(${x(row.difference)},${y})`, stroke: color,
    fill: row.low === null ? "var(--panel)" : color });
}

// Names that are too long for their place are set smaller.
function fitNames(holder) {
  holder.querySelectorAll("text.name").forEach((text) => {
    const room = Number(text.dataset.room), length = text.getComputedTextLength();
    if (length > room) text.style.fontSize = `${Math.max(7, 11 * room / length)}px`;
  });
}

const signed = (value) => (value > 0 ? `+${value}` : String(value).replace("-", "−"));

// Learning curves: one small chart per recipe, a thin line per seed, their mean, a dot at each seed's best epoch.
function drawCurve(holder, recipe, measure, range) {
  const width = holder.clientWidth, height = 150;
  const box = { left: 38, right: width - 6, top: 8, bottom: height - 24 };
  const x = scale(1, range.epochs, box.left + 4, box.right), y = scale(range[measure][0], range[measure][1], box.bottom, box.top);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  const name = measure === "f1" ? "ALL F1 on dev" : "training loss";
  const summary = `${recipe.name}: ${name} of ${recipe.seeds.length} seed${recipe.seeds.length > 1 ? "s" : ""}`;
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", summary);
  const whole = ticks(1, range.epochs, Math.min(5, range.epochs)).filter(Number.isInteger);
  axes(svg, box, x, y, whole, ticks(range[measure][0], range[measure][1], 4));
  for (const seed of recipe.seeds) {
    const points = seed[measure].map((value, epoch) => [x(epoch + 1), y(value)]);
    draw(svg, "path", { class: "seed", d: path(points), fill: "none", stroke: "var(--line2)", "stroke-width": 1, opacity: 0.5 });
    const best = seed.f1.indexOf(Math.max(...seed.f1));
    if (points[best]) draw(svg, "circle", { cx: points[best][0], cy: points[best][1], r: 2.6, fill: "var(--line2)" });
  }
  const longest = Math.max(...recipe.seeds.map((seed) => seed.f1.length));
  const means = Array.from({ length: longest }, (_, epoch) => {
    const values = recipe.seeds.map((seed) => seed[measure][epoch]).filter((value) => value !== undefined);
    return { mean: values.reduce((sum, value) => sum + value, 0) / values.length, values };
  });
  draw(svg, "path", { class: "mean", d: path(means.map((one, epoch) => [x(epoch + 1), y(one.mean)])), fill: "none",
    stroke: "var(--line0)", "stroke-width": 2 });
  const digits = measure === "f1" ? 2 : 3;
  const half = Math.max(3, (x(2) - x(1)) / 2 || 8);
  const stops = means.map((one, epoch) => {
    const spread = one.values.length > 1 ? ` (${Math.min(...one.values).toFixed(digits)} to ${Math.max(...one.values).toFixed(digits)})` : "";
    const label = `${recipe.name}\nepoch ${epoch + 1}: ${name} ${one.mean.toFixed(digits)}${spread}\n${one.values.length} of ${recipe.seeds.length} seeds`;
    const stop = draw(svg, "g", { role: "img", "data-tip": label, "aria-label": label });
    draw(stop, "rect", { x: x(epoch + 1) - half, width: 2 * half, y: box.top, height: box.bottom - box.top, fill: "transparent" });
    draw(stop, "circle", { class: "ring", cx: x(epoch + 1), cy: y(one.mean), r: 5 });
    return stop;
  });
  holder.replaceChildren(svg);
  walkable(stops);
}

function curveRange(recipes) {
  const all = (measure) => recipes.flatMap((recipe) => recipe.seeds.flatMap((seed) => seed[measure]));
  const spread = (values) => { const pad = 0.06 * (Math.max(...values) - Math.min(...values)) || 1; return [Math.min(...values) - pad, Math.max(...values) + pad]; };
  return { epochs: Math.max(2, ...recipes.flatMap((recipe) => recipe.seeds.map((seed) => seed.f1.length))), f1: spread(all("f1")), loss: spread(all("loss")) };
}

function onWidth(element, redraw) {
  let known = 0;
  new ResizeObserver(() => { if (element.clientWidth && element.clientWidth !== known) { known = element.clientWidth; redraw(); } }).observe(element);
}

const figure3 = document.getElementById("figure3-chart");
if (figure3) {
  const figure = JSON.parse(document.getElementById("figure3-numbers").textContent);
  const hidden = new Set();
  const redraw = () => drawFigure3(figure3, figure, hidden);
  drawLegend(document.getElementById("figure3-legend"), figure, hidden, redraw);
  onWidth(figure3, redraw);
}

const curves = document.getElementById("curves");
if (curves) {
  const recipes = JSON.parse(document.getElementById("curves-numbers").textContent);
  const range = curveRange(recipes);
  const holders = [...curves.querySelectorAll(".chart")];
  const measure = () => document.querySelector("input[name=measure]:checked").value;
  const redraw = () => holders.forEach((holder, place) => drawCurve(holder, recipes[place], measure(), range));
  document.querySelectorAll("input[name=measure]").forEach((input) => input.addEventListener("change", redraw));
  onWidth(curves, redraw);
}

const forest = document.getElementById("forest-chart");
if (forest) {
  const rows = JSON.parse(document.getElementById("forest-numbers").textContent);
  const redraw = () => { drawForest(forest, chosenDifferences(rows)); fitNames(forest); };
  document.querySelectorAll("#forest-switches input").forEach((input) => input.addEventListener("change", redraw));
  onWidth(forest, redraw);
}
