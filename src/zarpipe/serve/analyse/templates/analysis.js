"use strict";
// Choosing a predicate marks its arguments in the sentence, and its line below.
document.documentElement.classList.add("scripted");
function choose(article, token) {
  for (const word of article.querySelectorAll(".word")) {
    word.className = "word";
    delete word.dataset.cases;
    if (word.dataset.predicate) word.setAttribute("aria-pressed", String(word.dataset.predicate === token));
  }
  for (const line of article.querySelectorAll("li[data-of]")) {
    line.classList.toggle("chosen", line.dataset.of === token);
    if (line.dataset.of !== token) continue;
    for (const argument of line.querySelectorAll(".argument")) {
      const word = article.querySelector(`.word[data-token="${argument.dataset.argument}"]`);
      word.classList.add(`is-${argument.dataset.case}`);
      word.dataset.cases = word.dataset.cases ? `${word.dataset.cases} ${argument.dataset.case}` : argument.dataset.case;
    }
  }
}
for (const article of document.querySelectorAll("article")) {
  const first = article.querySelector("button.word");
  if (first) choose(article, first.dataset.token);
}
document.addEventListener("click", (event) => {
  const word = event.target.closest("button.word");
  if (word) choose(word.closest("article"), word.dataset.token);
});
