"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const MARKS = {hit: "✓", compiled: "+", recompiled: "↻", limit: "✕", skipped: "–", eager: "–"};
  const WORST = ["limit", "recompiled", "skipped", "compiled", "hit"];

  /** An element with its attributes and children; text is never read as markup. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  /** Text with its parts in backticks as code. */
  function prose(text) {
    return text.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
  }

  function time(us) {
    if (us === null || us === undefined) return "not measured";
    if (us < 1000) return `${digits(us)} µs`;
    return us < 1e6 ? `${digits(us / 1e3)} ms` : `${digits(us / 1e6)} s`;
  }

  function digits(value) {
    return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
  }

  // ---------------------------------------------------------------- theme

  const root = document.documentElement;
  $("#theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    chart?.destroy();
    chart = draw();
  });

  // ---------------------------------------------------------------- route

  const sides = data.sides.map((side) => ({...side, element: $(`#route .side[data-side="${side.key}"]`)}));
  const count = Math.max(...sides.map((side) => side.calls.length), 0);
  const at = {call: 0, side: 0, stop: 0};

  /** What a call comes by: the guards and what served, and the cuts between. */
  function stops(side, number) {
    const call = side.calls[number];
    if (!call) return [];
    const found = [];
    for (const [how, frame, entry, recompile, cut] of call.steps) {
      found.push({how, frame, entry, recompile});
      if (cut >= 0) found.push({cut, after: frame});
    }
    return found.length ? found : [{how: "eager"}];
  }

  function worst(call) {
    const hows = call.steps.map((step) => step[0]);
    return WORST.find((how) => hows.includes(how)) ?? "eager";
  }

  function strip(side) {
    const holder = $(".strip", side.element);
    side.marks = side.calls.map((call, number) => {
      const how = worst(call);
      const button = make("button", {type: "button", class: how, "aria-label": `Call ${number + 1}: ${how}`, tabindex: "-1"}, MARKS[how]);
      button.dataset.call = number;
      return button;
    });
    holder.append(...side.marks);
    holder.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) go(Number(button.dataset.call), sides.indexOf(side), 0);
    });
    if (side.more) side.element.insertBefore(make("p", {class: "hint"}, `${side.more} more calls are not listed.`), $(".steps", side.element));
  }

  function stopButton(side, stop, number) {
    const attributes = {type: "button", "data-stop": number};
    if (stop.cut !== undefined) {
      const cut = side.cuts[stop.cut];
      return make("button", {...attributes, class: "cutting"}, `✂ ${cut.short}`);
    }
    if (stop.how === "eager") return make("button", attributes, "eager throughout");
    const frame = side.frames[stop.frame];
    const entry = side.entries[stop.entry];
    const label = make("span", {class: `how ${stop.how}`}, `${MARKS[stop.how]} `);
    const name = entry ? (entry.ops ? `${frame.letter} ${entry.id}` : entry.id) : frame.name;
    const small = make("small", {}, entry ? ` ${entry.ops} ops` : " eager");
    return make("button", {...attributes, class: entry && entry.ops ? `p${frame.colour}` : ""}, label, name, small);
  }

  function told(side, stop) {
    if (!stop) return [make("p", {}, "No such call.")];
    if (stop.cut !== undefined) {
      const cut = side.cuts[stop.cut];
      return [make("p", {}, make("b", {}, cut.place), " ", ...prose(cut.words)), make("p", {}, ...prose(cut.cure)), make("p", {}, cut.cost)];
    }
    if (stop.how === "eager") return [make("p", {}, "Nothing compiled served this call: it ran eagerly from end to end.")];
    const frame = side.frames[stop.frame];
    const entry = side.entries[stop.entry];
    const lines = [make("p", {}, make("b", {}, frame.name), ` (${frame.place})`)];
    if (stop.how === "hit") lines.push(make("p", {}, `Guards checked: they hold. Entry ${entry.id} of the cache serves.`));
    if (stop.how === "compiled") lines.push(make("p", {}, `The cache is empty: compiled for the first time in ${time(entry.seconds * 1e6)}, as entry ${entry.id}.`));
    if (stop.how === "skipped") lines.push(make("p", {}, `Dynamo gave this frame up; it runs eagerly${entry ? `, entry ${entry.id}` : ""}.`));
    const again = side.recompiles[stop.recompile];
    if (again) {
      lines.push(make("p", {}, `Guards checked: ${again.failed.length === 1 ? "the one entry fails" : `all ${again.failed.length} entries fail`}.`));
      for (const guard of again.failed) lines.push(make("p", {}, `✕ ${guard.id} `, make("code", {}, guard.text), guard.place ? ` at ${guard.place}` : ""));
      lines.push(make("p", {}, entry ? `Rebuilt in ${time(again.seconds * 1e6)}; the new entry ${entry.id} serves.` : "The recompile limit is reached: not rebuilt, it runs eagerly from here on."));
    }
    if (entry && entry.ops) lines.push(make("p", {}, `Graph ${frame.letter}: ${entry.ops} operators${entry.lines ? `, ${entry.lines}` : ""}.`));
    return lines;
  }

  /** Mark elements of a side's source, and those only. */
  function light(side, elements) {
    const next = new Set(elements);
    for (const element of side.lit ?? []) if (!next.has(element)) element.classList.remove("lit");
    for (const element of next) element.classList.add("lit");
    side.lit = next;
  }

  /** The lines of a graph, or a cut, in the source. */
  function sourceOf(side, stop) {
    if (!stop) return [];
    const ids = stop.cut !== undefined ? [`${side.key}-at-${stop.cut}`] : side.entries[stop.entry]?.rows ?? [];
    return ids.map((id) => document.getElementById(id)).filter(Boolean);
  }

  /** Bring an element into view inside its own pane, and leave the page where it is. */
  function reveal(element) {
    const pane = element.closest(".code, .steps");
    if (!pane) return;
    const place = element.getBoundingClientRect();
    const frame = pane.getBoundingClientRect();
    if (place.top < frame.top || place.bottom > frame.bottom) pane.scrollTop += place.top - frame.top - frame.height / 3;
  }

  /** Draw the stops of a call, unless they stand there already. */
  function drawCall(side) {
    if (side.drawn === at.call) return;
    side.drawn = at.call;
    side.stops = stops(side, at.call);
    side.buttons = side.stops.map((stop, number) => stopButton(side, stop, number));
    $(".steps", side.element).replaceChildren(...side.buttons.map((button) => make("li", {}, button)));
    side.marked?.removeAttribute("aria-current");
    side.marked = side.marks[at.call];
    side.marked?.setAttribute("aria-current", "true");
  }

  function show() {
    $("#call").value = at.call;
    $("#call-number").textContent = at.call + 1;
    sides.forEach((side, index) => {
      drawCall(side);
      const number = index === at.side ? at.stop : 0;
      const stop = side.stops[number];
      side.current?.removeAttribute("aria-current");
      side.current = index === at.side ? side.buttons[number] : undefined;
      side.current?.setAttribute("aria-current", "step");
      if (side.current) reveal(side.current);
      if (side.stop === stop) return;
      side.stop = stop;
      const raised = side.calls[at.call]?.raised;
      $(".told", side.element).replaceChildren(...told(side, stop), ...(raised ? [make("p", {}, `The call raised ${raised}`)] : []));
      const found = sourceOf(side, stop);
      light(side, found);
      if (found.length) reveal(found[0]);
    });
  }

  function stopCount(side) {
    drawCall(sides[side]);
    return sides[side].stops.length;
  }

  function go(call, side, stop) {
    at.call = Math.max(0, Math.min(count - 1, call));
    at.side = side;
    const length = stopCount(side);
    at.stop = stop < 0 ? Math.max(0, length - 1) : Math.min(stop, Math.max(0, length - 1));
    show();
  }

  function stepOn() {
    if (at.stop + 1 < stopCount(at.side)) go(at.call, at.side, at.stop + 1);
    else if (at.call + 1 < count) go(at.call + 1, at.side, 0);
  }

  function stepBack() {
    if (at.stop > 0) go(at.call, at.side, at.stop - 1);
    else if (at.call > 0) go(at.call - 1, at.side, -1);
  }

  if (count) {
    $("#call-count").textContent = count;
    $("#call").max = count - 1;
    $("#call").addEventListener("input", (event) => go(Number(event.target.value), at.side, 0));
    $("#call-back").addEventListener("click", () => go(at.call - 1, at.side, 0));
    $("#call-on").addEventListener("click", () => go(at.call + 1, at.side, 0));
    $("#step-back").addEventListener("click", stepBack);
    $("#step-on").addEventListener("click", stepOn);
    sides.forEach((side, index) => {
      strip(side);
      $(".steps", side.element).addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (!button) return;
        go(at.call, index, Number(button.dataset.stop));
        $(`.steps button[data-stop="${at.stop}"]`, side.element)?.focus();
      });
    });
    show();
  } else {
    $("#route").replaceChildren(make("h2", {}, "Route"), make("p", {class: "note"}, "No call was recorded."));
  }

  // ---------------------------------------------------------------- keys

  const cutsOf = Object.fromEntries(sides.map((side) => [side.key, $$(`.source [data-side="${side.key}"] .cut`)]));
  let cutAt = -1;
  function cutOn(by) {
    const shown = sides.filter((side) => $(`.source > [data-side="${side.key}"]`).offsetParent !== null);
    const found = shown.flatMap((side) => cutsOf[side.key].map((element) => [side, element]));
    if (!found.length) return;
    cutAt = (cutAt + by + found.length) % found.length;
    const [side, element] = found[cutAt];
    light(side, [element]);
    element.scrollIntoView({block: "center"});
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (event.key === "n" || event.key === "p") return cutOn(event.key === "n" ? 1 : -1);
    if (!count || !$("#route").contains(event.target)) return;
    const moves = {ArrowRight: stepOn, ArrowLeft: stepBack, ArrowDown: () => go(at.call + 1, at.side, 0), ArrowUp: () => go(at.call - 1, at.side, 0)};
    if (!moves[event.key]) return;
    event.preventDefault();
    const inside = event.target.closest(".steps");
    moves[event.key]();
    if (inside) $(".steps button[aria-current]", inside.parentElement)?.focus();
  });

  // ---------------------------------------------------------------- cost

  const measured = sides.filter((side) => side.ledger && side.ledger.steady !== null);
  const slider = $("#rate");
  let chart = null;
  const LEAST = -4; // the slider's left end is zero, next to it is 10 to this power

  function rateOf(position) {
    return position <= 0 ? 0 : 10 ** (LEAST * (1 - position / 400));
  }

  function positionOf(rate) {
    return rate <= 0 ? 0 : Math.max(1, Math.min(400, Math.round(400 * (1 - Math.log10(rate) / LEAST))));
  }

  function average(ledger, rate) {
    return ledger.steady + rate * ledger.rebuild;
  }

  function percent(rate) {
    const value = rate * 100;
    return `${value === 0 ? "0" : value >= 1 ? digits(value) : value.toPrecision(2)} %`;
  }

  /** Set everything that depends on the failure rate; without one, each side has its own. */
  function setRate(given) {
    $("#rate-value").textContent = given === null ? measured.map((side) => percent(side.ledger.rate)).join(" → ") : percent(given);
    for (const side of measured) {
      const rate = given ?? side.ledger.rate;
      const total = average(side.ledger, rate);
      $(`.average[data-side="${side.key}"]`).textContent = time(total);
      const parts = [["guard", side.ledger.guard ?? 0], ["run", side.ledger.steady - (side.ledger.guard ?? 0)], ["rebuild", rate * side.ledger.rebuild]];
      const bar = $(`.parts[data-side="${side.key}"]`);
      for (const [name, us] of parts) $(`.${name}`, bar).style.width = `${total ? (100 * us) / total : 0}%`;
      bar.setAttribute("aria-label", parts.map(([name, us]) => `${name} ${time(us)}`).join(", "));
    }
    chart?.redraw(false);
  }

  function colour(name) {
    return getComputedStyle(root).getPropertyValue(name).trim();
  }

  function marker(plot) {
    const rate = Math.max(rateOf(Number(slider.value)), 10 ** LEAST);
    const x = plot.valToPos(rate, "x", true);
    const {ctx, bbox} = plot;
    ctx.save();
    ctx.strokeStyle = colour("--ink");
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  /** Logarithmic axes have a line for each digit; one for each power of ten is enough. */
  function powerOfTen(value) {
    return Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6;
  }

  function draw() {
    const holder = $("#chart");
    if (!holder || !measured.length) return null;
    const rates = Array.from({length: 161}, (_, index) => 10 ** (LEAST * (1 - index / 160)));
    const filter = (_, splits) => splits.map((value) => (powerOfTen(value) ? value : null));
    const lines = {stroke: colour("--line"), width: 1, filter};
    const axis = {stroke: colour("--soft"), filter, grid: lines, ticks: lines};
    const looks = [{stroke: colour("--cut"), dash: [8, 4]}, {stroke: colour("--c0")}];
    const options = {
      width: holder.clientWidth || 600,
      height: 280,
      scales: {x: {time: false, distr: 3}, y: {distr: 3}},
      axes: [
        {...axis, label: "f_fail: calls in which a guard failed", labelSize: 22, values: (_, splits) => splits.map((value) => (value === null ? "" : percent(value)))},
        {...axis, size: 70, values: (_, splits) => splits.map((value) => (value === null ? "" : time(value)))},
      ],
      series: [
        {label: "f_fail", value: (_, value) => (value === null ? "–" : percent(value))},
        ...measured.map((side, index) => ({
          label: `T_avg ${side.label}`, width: 2, points: {show: false}, ...looks[index], value: (_, value) => (value === null ? "–" : time(value)),
        })),
      ],
      hooks: {draw: [marker]},
    };
    return new uPlot(options, [rates, ...measured.map((side) => rates.map((rate) => average(side.ledger, rate)))], holder);
  }

  if (slider && measured.length) {
    const reset = () => {
      slider.value = positionOf(measured[0].ledger.rate);
      setRate(null);
    };
    slider.addEventListener("input", () => setRate(rateOf(Number(slider.value))));
    $("#rate-reset").addEventListener("click", reset);
    chart = draw();
    reset();
    new ResizeObserver(() => {
      const width = $("#chart").clientWidth;
      if (chart && width && Math.abs(width - chart.width) > 1) chart.setSize({width, height: 280});
    }).observe($("#chart"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      chart?.destroy();
      chart = draw();
    });
  }

  // ---------------------------------------------------------------- lists and source

  for (const field of $$(".filter")) {
    const items = $$(`.cuts[data-side="${field.dataset.side}"] > li`);
    const texts = items.map((item) => item.textContent.toLowerCase());
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      items.forEach((item, index) => { item.hidden = !texts[index].includes(wanted); });
    });
  }

  function choose(key) {
    const holder = $(".source");
    holder.dataset.shown = key;
    for (const tab of $$(".tab")) tab.setAttribute("aria-pressed", String(tab.dataset.side === key));
  }

  for (const tab of $$(".tab")) tab.addEventListener("click", () => choose(tab.dataset.side));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.place");
    if (link) choose(link.getAttribute("href").slice(1).startsWith("after") ? "after" : "before");
  });
})();
