// Keeps what is filled in, in this browser; grows nothing and sends nothing.
(() => {
  const key = document.querySelector("main").dataset.key;
  const fields = [...document.querySelectorAll("[data-field], .who input")];
  const nameOf = (field) => field.dataset.field || field.name;
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(key)) || {};
  } catch {}  // private windows keep nothing
  for (const field of fields) {
    const isInput = field.tagName === "INPUT";
    const known = kept[nameOf(field)];
    if (typeof known === "string" && known) {
      if (isInput) field.value = known;
      else field.innerText = known;
    }
    field.addEventListener("input", () => {
      kept[nameOf(field)] = isInput ? field.value : field.innerText;
      try {
        localStorage.setItem(key, JSON.stringify(kept));
      } catch {}
    });
    // Only text is pasted: a page that is printed has one look.
    field.addEventListener("paste", (event) => {
      if (isInput) return;
      event.preventDefault();
      document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
    });
  }
  const print = document.getElementById("print");
  if (print) print.addEventListener("click", () => window.print());
})();
