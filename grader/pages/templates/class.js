// Sorts and filters the list of students, in this file and nowhere else.
(() => {
  const table = document.querySelector("table.sortable");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const compare = {
    number: (a, b) => Number(b) - Number(a),
    text: (a, b) => a.localeCompare(b),
  };
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const again = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", again ? "descending" : "ascending");
      const order = compare[head.dataset.sort];
      const key = (row) => row.cells[column].dataset.key;
      const sorted = [...rows].sort((a, b) => order(key(a), key(b)));
      body.append(...(again ? sorted.reverse() : sorted));
    });
  });

  const field = (name) => document.getElementById(name);
  const filter = () => {
    const words = field("find").value.toLowerCase();
    const section = field("section") ? field("section").value : "";
    const flag = field("flag").value;
    let shown = 0;
    for (const row of rows) {
      const fits =
        row.dataset.find.includes(words) &&
        (!section || row.dataset.section === section) &&
        (!flag || row.dataset.flags.split(" ").includes(flag));
      row.hidden = !fits;
      shown += fits;
    }
    field("shown").textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`;
  };
  for (const name of ["find", "section", "flag"]) {
    if (field(name)) field(name).addEventListener("input", filter);
  }
  filter();  // a browser keeps what was chosen when a page is loaded again

  // A student's page is unpacked when a link leads to it: 300 of them would be ten megabytes.
  const place = document.getElementById("student");
  const unpacked = (async () => {
    const packed = atob(document.getElementById("packed").textContent);
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Map(Object.entries(await new Response(stream).json()));
  })();
  const tooOld = "This browser is too old to unpack students' pages. A newer one shows them.";
  let leftAt = 0;  // where the overview was scrolled to
  const show = async () => {
    const name = location.hash.slice(1);
    let page = "";
    if (/^s\d+$/.test(name)) {
      page = await unpacked.then((pages) => pages.get(name) ?? "", () => `<article>${tooOld}</article>`);
    }
    if (name !== location.hash.slice(1)) return;  // somebody was faster
    const wasOne = document.body.classList.contains("of-one");
    if (page && !wasOne) leftAt = scrollY;
    place.innerHTML = page;
    document.body.classList.toggle("of-one", page !== "");
    if (page) scrollTo(0, 0);
    else if (wasOne && (name === "" || name === "top")) scrollTo(0, leftAt);
    else if (wasOne) document.getElementById(name)?.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();

  for (const button of document.querySelectorAll("[data-more]")) {
    button.addEventListener("click", () => {
      const section = button.closest("section");
      section.querySelectorAll("tr.more").forEach((row) => row.classList.remove("more"));
      button.parentElement.remove();
    });
  }
})();
