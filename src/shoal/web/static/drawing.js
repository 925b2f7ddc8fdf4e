"use strict";
(() => {
  // The drawing: positions and colors come from the server, and only the colors change.
  const sources = ["--risk-0", "--risk-1", "--risk-2", "--risk-3", "--risk-4", "--misled"];
  let renderer = null, graph = null, few = true, buckets = "", own = null, candidates = null, later = 0, still = false;

  const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  let colors = {};
  const mix = () => {
    colors = { people: sources.map(paint), link: paint("--line"), ink: paint("--ink"), faint: paint("--grid"), mark: paint("--after") };
    if (renderer) { renderer.setSetting("labelColor", { color: colors.ink }); renderer.refresh(); }
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", mix);

  const showPerson = (node, data) => {
    const at = Number(node), shown = { ...data, color: colors.people[Number(buckets[at] || 5)], zIndex: 9 - Number(buckets[at] || 5) };
    if (!candidates) return shown;
    if (own.has(at)) return { ...shown, color: colors.mark, size: data.size * 2, zIndex: 12, forceLabel: true };
    if (candidates.has(at)) return { ...shown, size: data.size * 1.6, zIndex: 11, forceLabel: candidates.size < 30 };
    return { ...shown, size: few ? data.size : data.size * 0.6, color: colors.faint, label: "", zIndex: 0 };
  };

  const show = async (place) => {
    const answer = await fetch(`${place.dataset.source}/drawing.json`);
    if (answer.status !== 200) return;
    const found = await answer.json();
    graph = new graphology.Graph({ multi: true, type: found.directed ? "directed" : "undirected" });
    const size = Math.max(1.5, Math.min(7, 60 / Math.sqrt(found.ids.length)));
    found.ids.forEach((id, at) => graph.addNode(at, { x: found.x[at], y: -found.y[at], size, label: found.names[at], id }));
    for (let i = 0; i < found.links.length; i += 2) graph.addEdge(found.links[i], found.links[i + 1]);
    mix();
    few = found.links.length < 8000;
    renderer = new Sigma(graph, place, {
      defaultEdgeType: found.directed && few ? "arrow" : "line",
      defaultEdgeColor: colors.link,
      hideEdgesOnMove: !few,
      labelColor: { color: colors.ink },
      labelRenderedSizeThreshold: 9,
      zIndex: true,
      nodeReducer: showPerson,
      edgeReducer: (edge, data) => ({ ...data, color: colors.link, size: few ? 1 : 0.4 }),
    });
    keepLinks();
    renderer.on("clickNode", ({ node }) => ask(graph.getNodeAttribute(node, "id"), place));
    renderer.on("enterNode", () => place.classList.add("over"));
    renderer.on("leaveNode", () => place.classList.remove("over"));
    renderer.on("clickStage", () => { own = candidates = null; mark(); });
    place.dataset.drawn = String(found.ids.length);
    await color(place);
  };
  // Drawing 100,000 links takes seconds without a graphics card: where only vertices change, the drawn links stay.
  const keepLinks = () => {
    const gl = renderer.getCanvases().edges.getContext("webgl2");
    for (const name of ["clear", "bufferData", "drawArrays", "drawArraysInstanced"]) {
      const draw = gl[name].bind(gl);
      gl[name] = (...values) => { if (!still) draw(...values); };
    }
  };
  const refresh = (how) => {
    still = true;
    try { renderer.refresh({ skipIndexation: true, ...how }); } finally { still = false; }
  };
  const repaint = () => refresh({});
  // The answer about a person is painted before its marks, and a newer answer takes their place.
  const mark = () => {
    clearTimeout(later);
    later = setTimeout(() => refresh(few ? {} : { partialGraph: { nodes: graph.nodes() } }), few ? 0 : 100);
  };
  const ask = (id, place) => htmx.ajax("GET", `${place.dataset.source}/person/${id}`, { target: "#person" });
  const color = async (place) => {
    const lens = document.getElementById("lens");
    const answer = await fetch(`${place.dataset.source}/colors?knows=${encodeURIComponent(lens ? lens.value : "")}`);
    if (answer.status !== 200 || !renderer) return;
    const found = (await answer.json()).buckets;
    if (found !== buckets) { buckets = found; repaint(); }
    if (buckets) place.dataset.colored = lens ? lens.value : "";
  };
  const find = () => document.getElementById("canvas");
  let begun = false;
  const begin = () => {
    const place = find();
    if (!place) return;
    if (begun) { color(place); return; }
    begun = true;
    show(place);
  };
  document.addEventListener("change", (event) => { if (event.target.id === "lens") color(find()); });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "drawn") begin();
    const told = event.target.id === "person" && event.target.querySelector("[data-candidates]");
    if (!told || !renderer) return;
    const read = (text) => new Set(text ? text.split(",").map(Number) : []);
    if (event.detail.requestConfig?.elt?.closest("#list")) document.getElementById("who").scrollIntoView({ block: "nearest" });
    own = read(told.dataset.own);
    candidates = read(told.dataset.candidates);
    mark();
  });
})();
