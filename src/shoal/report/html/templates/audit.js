"use strict";
(() => {
  // Show the label of a mark beside the pointer. Without this script, the table under the chart has the same numbers.
  const hint = document.createElement("div");
  hint.id = "hint";
  hint.hidden = true;
  hint.setAttribute("aria-hidden", "true");
  document.body.append(hint);
  const say = (event) => {
    const mark = event.target.closest ? event.target.closest(".frame svg [aria-label]") : null;
    hint.hidden = !mark;
    if (!mark) return;
    hint.textContent = mark.getAttribute("aria-label");
    const wide = hint.offsetWidth, high = hint.offsetHeight;
    hint.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - wide - 6)) + "px";
    hint.style.top = Math.max(4, event.clientY + 18 + high > innerHeight ? event.clientY - high - 12 : event.clientY + 18) + "px";
  };
  document.addEventListener("pointermove", say);
  document.addEventListener("pointerdown", say);
  document.addEventListener("scroll", () => { hint.hidden = true; }, { passive: true });

  // Zoom buttons for dense pictures.
  const press = (bar, sign, name, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
    bar.append(button);
  };
  for (const figure of document.querySelectorAll("figure[data-zoom]")) {
    const svg = figure.querySelector("svg");
    const whole = svg.getAttribute("viewBox").split(" ").map(Number);
    let [x, y, w, h] = whole;
    const show = () => svg.setAttribute("viewBox", [x, y, w, h].join(" "));
    const zoom = (by, cx = x + w / 2, cy = y + h / 2) => {
      const to = Math.min(1, Math.max(1 / 30, (w / whole[2]) * by)) * whole[2] / w;
      x = cx - (cx - x) * to; y = cy - (cy - y) * to; w *= to; h *= to;
      if (w >= whole[2] * 0.999) [x, y, w, h] = whole;
      show();
    };
    const bar = document.createElement("div");
    bar.className = "zoom";
    press(bar, "+", "Zoom in", () => zoom(1 / 1.5));
    press(bar, "−", "Zoom out", () => zoom(1.5));
    press(bar, "↺", "Reset zoom", () => { [x, y, w, h] = whole; show(); });
    figure.querySelector(".frame").append(bar);
    const point = (event) => {
      const box = svg.getBoundingClientRect();
      return [x + (event.clientX - box.left) / box.width * w, y + (event.clientY - box.top) / box.height * h];
    };
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && w === whole[2]) return; // let the page scroll until the picture is zoomed
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1 / 1.2 : 1.2, ...point(event));
    }, { passive: false });
    svg.addEventListener("dblclick", (event) => zoom(1 / 2, ...point(event)));
    let from = null;
    svg.addEventListener("pointerdown", (event) => { if (w < whole[2]) { from = point(event); svg.setPointerCapture(event.pointerId); } });
    svg.addEventListener("pointermove", (event) => {
      if (!from) return;
      const now = point(event);
      x += from[0] - now[0]; y += from[1] - now[1];
      show();
    });
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { from = null; });
  }

  // Unfold the appendix: all of it, for printing, or the section that a link leads to.
  const all = document.querySelectorAll("details");
  const open = () => { for (const one of all) one.open = true; };
  addEventListener("beforeprint", open);
  const button = document.getElementById("unfold");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => { for (const one of document.querySelectorAll(".folded > details")) one.open = true; });
})();
