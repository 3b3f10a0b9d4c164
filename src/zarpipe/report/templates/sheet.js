// Answers are kept in the browser under the sheet's name, and downloaded as CSV; nothing is sent.
const bar = document.querySelector(".bar");

function kept(key) {
  try { return JSON.parse(localStorage.getItem(key)) || {}; } catch { return {}; }
}

function keep(key, answers) {
  try { localStorage.setItem(key, JSON.stringify(answers)); } catch { /* a browser that keeps nothing: the page itself does */ }
}

if (bar) {
  const key = `zarpipe-sheet-${bar.dataset.sheet}`;
  const answers = kept(key);
  const items = [...document.querySelectorAll("article")];
  const open = () => items.filter((item) => !answers[item.id]);
  const show = () => { document.getElementById("progress").textContent = `${items.length - open().length} of ${items.length} judged`; };
  for (const item of items) {
    for (const input of item.querySelectorAll("input")) {
      input.checked = answers[item.id] === input.value;
      input.addEventListener("change", () => { answers[item.id] = input.value; keep(key, answers); show(); });
    }
  }
  document.getElementById("next").addEventListener("click", () => {
    const next = open()[0];
    if (next) { next.scrollIntoView(); next.querySelector("input").focus({ preventScroll: true }); }
  });
  document.getElementById("download").addEventListener("click", () => {
    const lines = ["item,answer", ...items.map((item) => `${item.id},${answers[item.id] || ""}`)];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = `antecedents-sheet-${bar.dataset.sheet}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
  show();
}
