"use strict";
(() => {
  const key = document.body.dataset.key || "";

  // Uploads: the file is the body of the request, so that the server keeps it in memory.
  const send = async (area, file) => {
    const state = area.querySelector(".state");
    const say = (text) => { state.hidden = false; state.textContent = text; };
    say(`Sending ${file.name} …`);
    area.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(`${area.dataset.upload}?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
      if (answer.ok) { location.assign((await answer.json()).go); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      say((page.querySelector("main .warning") || page.body).textContent.trim());
    } catch {
      say("The server does not answer. Start shoal serve again.");
    }
    area.removeAttribute("aria-busy");
  };
  for (const area of document.querySelectorAll("[data-upload]")) {
    const input = area.querySelector("input[type=file]");
    input.addEventListener("change", () => { if (input.files.length) send(area, input.files[0]); });
    for (const name of ["dragenter", "dragover"]) {
      area.addEventListener(name, (event) => { event.preventDefault(); area.classList.add("over"); });
    }
    area.addEventListener("dragleave", () => area.classList.remove("over"));
    area.addEventListener("drop", (event) => {
      event.preventDefault();
      area.classList.remove("over");
      if (event.dataTransfer.files.length) send(area, event.dataTransfer.files[0]);
    });
  }
  // A file that is dropped beside the area must not replace the page.
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());

  // Forms that act on every choice, the number beside a slider, and copying.
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  });
  document.addEventListener("input", (event) => {
    const shows = event.target.dataset && event.target.dataset.shows;
    if (shows) document.getElementById(shows).textContent = event.target.value;
  });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });

  const raise = (name) => document.body.dispatchEvent(new Event(name));
  // Act at most once in so many milliseconds; what comes within them is one act at their end.
  const pace = (pause, act) => {
    let last = 0, waiting = 0;
    return () => {
      waiting ||= setTimeout(() => { waiting = 0; last = Date.now(); act(); }, Math.max(0, pause - (Date.now() - last)));
    };
  };

  // The order of a list is kept beside it: each request for the list has all of it, so that no choice is lost.
  const order = document.getElementById("order");
  const setOrder = (name, value) => { order.querySelector(`[name=${name}]`).value = value; };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-order]");
    if (!button) return;
    setOrder("page", 0);
    setOrder(button.dataset.order, button.value);
    raise("shoal:order");
  });
  document.addEventListener("input", (event) => { if (event.target.id === "filter") setOrder("page", 0); });

  // Events of the server. A browser allows only a few connections to one server, so one tab listens for all of them.
  const lost = document.getElementById("lost");
  const channel = new BroadcastChannel("shoal");
  const tab = crypto.randomUUID();
  const refresh = pace(150, () => raise("shoal:changed"));
  document.addEventListener("htmx:configRequest", (event) => { event.detail.headers["X-Tab"] = tab; });
  const take = (event) => {
    if (event.what === "lost" || event.what === "found") lost.hidden = event.what === "found";
    if (event.what === "end" || (event.what === "closed" && event.data === key)) { if (key) location.assign("/"); return; }
    if (event.what === "found" || (event.data === key && event.tab !== tab)) refresh();
  };
  const tell = (event) => { take(event); channel.postMessage(event); };
  const listen = () => new Promise(() => {
    const source = new EventSource("/events");
    source.addEventListener("open", () => tell({ what: "found" }));
    source.addEventListener("message", (message) => tell(JSON.parse(message.data)));
    source.addEventListener("error", () => tell({ what: "lost" }));
  });
  // Before that, htmx does not hear that something has changed. What ended meanwhile is asked for.
  document.addEventListener("DOMContentLoaded", () => {
    channel.addEventListener("message", (message) => take(message.data));
    if (key) navigator.locks.request("shoal-events", listen);
    if (document.querySelector(".busy")) refresh();
  });
  // The place of a moved slider goes with each request for the counts until an answer has it. Otherwise the slider
  // follows the answers: the choice was made in another tab. A page for other choices is shown again.
  const slider = document.getElementById("slider");
  let moved = Boolean(slider) && slider.value !== slider.defaultValue, heard = slider ? slider.defaultValue : "";
  const move = pace(80, () => raise("shoal:moved"));
  document.addEventListener("input", (event) => { if (event.target === slider) { moved = true; move(); } });
  document.addEventListener("DOMContentLoaded", () => {  // it may have been moved while the page was loaded
    if (!moved) return;
    document.getElementById(slider.dataset.shows).textContent = slider.value;
    move();
  });
  document.addEventListener("htmx:configRequest", (event) => {
    if (moved && event.detail.elt.id === "counts") event.detail.parameters.k = slider.value;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const told = event.target.id === "counts" && event.target.querySelector("[data-policy]");
    if (!told) return;
    if (told.dataset.policy !== document.getElementById("policy").dataset.policy) { location.reload(); return; }
    if (told.dataset.k !== heard) { heard = told.dataset.k; raise("shoal:k"); }
    moved &&= slider.value !== heard;
    if (moved) return;
    slider.value = heard;
    document.getElementById(slider.dataset.shows).textContent = heard;
  });

  // What the server refuses is said, and stays until something works.
  const problem = document.getElementById("problem");
  document.addEventListener("htmx:responseError", (event) => {
    const answer = event.detail.xhr;
    if (answer.status === 404 && key) { location.assign("/"); return; }
    problem.textContent = new DOMParser().parseFromString(answer.responseText, "text/html").body.textContent.trim();
    problem.hidden = false;
  });
  // A part is not refreshed while a button in it is pressed or a choice is sent: neither is lost. It is asked for again.
  let pressed = null, sending = 0;
  document.addEventListener("pointerdown", (event) => { pressed = event.target.closest("button, a, select, summary"); });
  for (const name of ["pointerup", "pointercancel"]) {
    document.addEventListener(name, () => { if (pressed) setTimeout(() => { pressed = null; refresh(); }); });
  }
  document.addEventListener("htmx:beforeSwap", (event) => {
    const again = event.detail.requestConfig.triggeringEvent?.type === "shoal:changed";
    if (again && (sending > 0 || (pressed && event.target.contains(pressed)))) event.detail.shouldSwap = false;
  });
  document.addEventListener("htmx:beforeRequest", (event) => { if (event.detail.requestConfig.verb !== "get") sending += 1; });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful) problem.hidden = true;
    if (event.detail.requestConfig.verb === "get") return;
    sending -= 1;
    refresh();
  });
})();
