"use strict";
(() => {
  // Two drawings of one network, before and after: the places are the same, and both show the same part.
  const sources = ["--risk-0", "--risk-1", "--risk-2", "--risk-3", "--risk-4", "--misled"];
  const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const left = document.getElementById("canvas-before"), right = document.getElementById("canvas-after");
  if (!left || !right) return;
  let begun = false;

  const draw = (place, found, links, changed, ink, buckets, shown) => {
    const graph = new graphology.Graph({ multi: true, type: "undirected" });
    const size = Math.max(1.5, Math.min(6, 50 / Math.sqrt(found.ids.length)));
    const people = sources.map(paint);
    found.ids.forEach((id, at) => {
      const there = !shown || shown[at] === "1";
      graph.addNode(at, { x: found.x[at], y: -found.y[at], size: there ? size : size / 3, label: found.names[at], color: there ? people[buckets[at]] || paint("--faint") : paint("--grid") });
    });
    const add = (pairs, color, wide) => {
      for (let i = 0; i < pairs.length; i += 2) graph.addEdge(pairs[i], pairs[i + 1], { color, size: wide });
    };
    const few = links.length < 8000;
    add(links, paint("--line"), few ? 1 : 0.4);
    add(changed, paint(ink), few ? 2.5 : 1);
    place.dataset.drawn = String(found.ids.length);
    place.dataset.changed = String(changed.length / 2);
    return new Sigma(graph, place, { hideEdgesOnMove: !few, labelColor: { color: paint("--ink") }, labelRenderedSizeThreshold: 9 });
  };

  const begin = async () => {
    if (begun) return;
    begun = true;
    const answers = await Promise.all([fetch(left.dataset.places), fetch(left.dataset.pair)]);
    if (answers.some((answer) => !answer.ok)) { begun = false; return; }
    const [found, pair] = await Promise.all(answers.map((answer) => answer.json()));
    const before = draw(left, found, pair.kept, pair.removed, "--before", pair.before, "");
    const after = draw(right, found, pair.kept, pair.added, "--after", pair.after, pair.released);
    let moving = false;
    for (const [one, other] of [[before, after], [after, before]]) {
      one.getCamera().on("updated", (state) => {
        if (moving) return;
        moving = true;
        other.getCamera().setState(state);
        moving = false;
      });
    }
  };
  document.addEventListener("htmx:afterSettle", begin);
  begin();
})();
