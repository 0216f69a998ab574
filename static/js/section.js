// The section page: check boxes are the state; this keeps picture, sum and arrow keys in step with them.
const form = document.querySelector("[data-section-form]");
const picture = form.querySelector("[data-picture]");
const boxes = [...form.querySelectorAll('input[name="seats"]')];
const summary = form.querySelector("[data-summary]");
const limit = Number(form.dataset.limit) || Infinity;
const money = new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency: form.dataset.currency });

const prices = new Map();
for (const cell of form.querySelectorAll("[data-prices] [data-amount]")) {
  prices.set(`${cell.dataset.zone} ${cell.dataset.fare}`, Number(cell.dataset.amount));
}

function total(picked) {
  const fare = form.elements.fare.value;
  const units = picked.reduce((sum, box) => sum + prices.get(`${box.dataset.zone} ${fare}`), 0);
  // Somewhere this fare is not sold: the next page says so, and no sum is better than a wrong one.
  return Number.isNaN(units) ? "" : money.format(units / 10 ** Number(form.dataset.exponent));
}

function seatWords(picked) {
  const { none, one, many } = summary.dataset;
  if (picked.length === 0) return none;
  return picked.length === 1 ? one : many.replace("{count}", picked.length);
}

function seatName(box) {
  const { row } = box.closest("[data-row]").dataset;
  return summary.dataset.seat.replace("{row}", row).replace("{number}", box.dataset.number);
}

function show() {
  const picked = boxes.filter((box) => box.checked);
  const tooMany = picked.length > limit;
  const sum = total(picked);
  const text = picked.length && sum ? `${seatWords(picked)} · ${sum}` : seatWords(picked);
  const names = picked.map(seatName);
  summary.querySelector("[data-summary-text]").textContent = text;
  summary.querySelector("[data-summary-seats]").textContent = tooMany
    ? summary.dataset.tooMany.replace("{limit}", limit)
    : names.join(" · ");
  const tooFew = picked.length === 0 && !("mayBeNone" in form.dataset);
  form.querySelector("[data-summary-button]").disabled = tooFew || tooMany;
  for (const box of boxes) {
    picture?.querySelector(`[data-seat="${box.value}"]`)?.classList.toggle("picked", box.checked);
  }
}

picture?.addEventListener("click", (event) => {
  const seat = event.target.closest("[data-seat]");
  if (!seat) return;
  event.preventDefault();
  const box = boxes.find((one) => one.value === seat.dataset.seat);
  box.checked = !box.checked;
  box.closest("td").scrollIntoView({ block: "nearest", inline: "center" });
  show();
});

// One stop for the Tab key, arrow keys inside: left and right along the row, up and down to the nearest seat of the next row that has one.
const rows = [...form.querySelectorAll("[data-seat-table] tr")]
  .map((row) => [...row.querySelectorAll('input[name="seats"]')])
  .filter((row) => row.length);

function neighbour(box, key) {
  const y = rows.findIndex((row) => row.includes(box));
  const x = rows[y].indexOf(box);
  if (key === "ArrowLeft") return rows[y][x - 1];
  if (key === "ArrowRight") return rows[y][x + 1];
  if (key === "Home") return rows[y][0];
  if (key === "End") return rows[y].at(-1);
  const row = rows[key === "ArrowUp" ? y - 1 : y + 1] ?? [];
  const far = (other) => Math.abs(other.dataset.x - box.dataset.x);
  return row.reduce((best, other) => (best && far(best) <= far(other) ? best : other), undefined);
}

function enter(box) {
  for (const other of boxes) other.tabIndex = other === box ? 0 : -1;
}

form.querySelector("[data-seat-table]").addEventListener("keydown", (event) => {
  if (!event.target.matches('input[name="seats"]')) return;
  if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
  event.preventDefault();
  const next = neighbour(event.target, event.key);
  if (!next) return;
  enter(next);
  next.focus();
});

form.querySelector("[data-seat-table]").setAttribute("role", "grid");
form.addEventListener("change", show);
form.addEventListener("focusin", (event) => {
  if (event.target.matches('input[name="seats"]')) enter(event.target);
});
if (boxes.length) enter(boxes.find((box) => box.checked) ?? boxes[0]);
show();
