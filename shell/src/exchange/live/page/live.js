// The live page: a list of exchanges, and both sides of the one that is chosen.

const TEXTS = ["request_client", "request_provider", "reply_client", "reply_provider"];
const MOST = 200;

const byId = (id) => document.getElementById(id);
const exchanges = new Map();
let chosen = null;
let asked = 0;
/** What is said when the page may not be seen. */
let closed = "Open the link that maskproxy printed at start. It works once.";

/** An element with properties and children. */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function say(text, isProblem = false) {
  const state = byId("state");
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle("problem", isProblem);
}

async function ask(path, options) {
  const reply = await fetch(path, options);
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.error.message);
  return body;
}

/** Trades the secret of the link for a cookie, and forgets it. */
async function open() {
  const link = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (/^[0-9a-f]{64}$/.test(link)) {
    // A used link does no harm where its cookie is known.
    await ask("api/open", { method: "POST", body: JSON.stringify({ link }) }).catch(({ message }) => {
      closed = message;
    });
  }
}

function listen() {
  const events = new EventSource("api/events");
  events.onopen = () => {
    byId("exchanges").replaceChildren();
    exchanges.clear();
    document.querySelector("main").hidden = false;
    say("Connected. New exchanges appear here.");
  };
  events.onmessage = ({ data }) => show(JSON.parse(data));
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) {
      say(closed, true);
    } else {
      say("The connection was lost. Trying again …", true);
    }
  };
}

/** Shows a line of the list, new or changed. */
function show(exchange) {
  const { number } = exchange;
  byId("none").hidden = true;
  let known = exchanges.get(number);
  if (!known) {
    known = element("button", { type: "button" });
    known.addEventListener("click", () => choose(number));
    exchanges.set(number, known);
    byId("exchanges").prepend(element("li", {}, known));
    if (exchanges.size > MOST) forget();
  }
  const { began, ended, note, path, restored, status, values } = exchange;
  const end = ended ? (status ?? "failed") : "in progress";
  known.replaceChildren(
    element("span", { className: "path" }, path),
    element("span", {}, String(end)),
    element("span", { className: "more" }, `${new Date(began).toLocaleTimeString()} · ${note ?? `${counted(values, "value")} masked · ${restored} restored`}`),
  );
  if (number === chosen) refresh(number);
}

const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

function forget() {
  const [oldest, button] = exchanges.entries().next().value;
  exchanges.delete(oldest);
  button.parentElement.remove();
}

async function choose(number) {
  if (chosen !== null) exchanges.get(chosen)?.removeAttribute("aria-current");
  chosen = number;
  exchanges.get(number).setAttribute("aria-current", "true");
  await refresh(number);
  byId("detail").focus({ preventScroll: innerWidth > 992 });
}

/** Loads the chosen exchange. Until it is there, the panel is marked as busy: it still shows the one before. */
async function refresh(number) {
  asked += 1;
  const turn = asked;
  const panel = byId("detail");
  panel.ariaBusy = "true";
  try {
    const exchange = await ask(`api/exchanges/${number}`);
    if (turn === asked) detail(exchange);
  } catch (error) {
    if (turn === asked) say(error.message, true);
  } finally {
    if (turn === asked) panel.ariaBusy = "false";
  }
}

function detail(exchange) {
  byId("title").textContent = `${exchange.path}, ${exchange.request}`;
  byId("note").textContent = exchange.note ?? "";
  const isEmpty = TEXTS.every((id) => exchange[id].pieces.length === 0);
  byId("texts").hidden = isEmpty;
  byId("why").hidden = isEmpty;
  for (const id of TEXTS) {
    const { pieces, cut } = exchange[id];
    const isClients = id.endsWith("client");
    byId(id).replaceChildren(
      ...pieces.map((piece) => {
        if (typeof piece === "string") return piece;
        if (typeof piece === "object") return element("mark", { className: "kept" }, exchange.tokens[piece.kept].token);
        const known = exchange.tokens[piece];
        return isClients ? valueButton(exchange.number, piece, known) : element("mark", {}, known.token);
      }),
      cut ? " … (cut)" : "",
    );
  }
  byId("findings").replaceChildren(
    ...exchange.findings.map(({ type, rule, field, count }) =>
      element("tr", {}, ...[type, rule, field, count].map((cell) => element("td", {}, String(cell)))),
    ),
  );
  const shown = new Set(TEXTS.flatMap((id) => exchange[id].pieces));
  const inTexts = [...exchange.tokens.keys()].filter((number) => shown.has(number));
  byId("values").replaceChildren(
    ...inTexts.map((number) => {
      const { token } = exchange.tokens[number];
      const item = whyItem(exchange.number, number, token);
      if (exchange.lists) item.append(neverButton(exchange.number, number, token));
      return item;
    }),
  );
  byId("always").hidden = !exchange.lists;
  byId("no-lists").hidden = exchange.lists;
  byId("chosen").hidden = false;
}

/** What found a value, asked for when it is opened. */
function whyItem(exchange, number, token) {
  const text = element("p");
  const details = element("details", {}, element("summary", {}, `Why ${token}`), text);
  details.addEventListener("toggle", async () => {
    if (!details.open || text.textContent) return;
    try {
      text.textContent = inWords(await ask(`api/exchanges/${exchange}/values/${number}/why`));
    } catch (error) {
      text.textContent = error.message;
    }
  });
  return element("li", {}, details);
}

const put = (wanted) => ask("api/lists", { method: "POST", body: JSON.stringify(wanted) });

/** Puts a value into the list of those that are never masked, and out of it again. */
function neverButton(exchange, value, token) {
  const button = element("button", { type: "button", className: "act" });
  const done = element("span", { role: "status" });
  let isListed = false;
  const label = () => {
    button.textContent = isListed ? "Undo" : "Never mask this";
    button.setAttribute("aria-label", isListed ? `Undo: mask the value of ${token} again` : `Never mask the value of ${token}`);
    done.textContent = isListed ? "From the next request on, the provider gets the real value." : "";
  };
  label();
  button.addEventListener("click", async () => {
    try {
      await put({ list: isListed ? "neither" : "never", exchange, value });
      isListed = !isListed;
      label();
    } catch (error) {
      done.textContent = error.message;
    }
  });
  return element("div", { className: "acts" }, button, done);
}

/** The form for what is always masked: what is selected in the client's text is written into it. */
function offerAlways() {
  const form = byId("always");
  const done = byId("always-done");
  document.addEventListener("selectionchange", () => {
    const selection = getSelection();
    const text = String(selection).trim();
    if (text && !text.includes("\n") && byId("request_client").contains(selection.anchorNode)) {
      form.elements.text.value = text;
      done.textContent = "";
    }
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { text, type } = form.elements;
    try {
      const { passing } = await put({ list: "always", text: text.value, type: type.value });
      text.value = "";
      done.textContent = passing.length
        ? `It is listed, but values of the type ${type.value} reach the provider: ${passing.join(" and ")} leaves them unmasked.`
        : "It will be masked from the next request on.";
    } catch (error) {
      done.textContent = error.message;
    }
  });
}

function inWords({ rule, score, why }) {
  if (!rule) return "No rule finds it in this request alone: the session knows it, or another detector found it.";
  const reasons = (why?.reasons ?? []).map(({ weight, reason }) => `${weight > 0 ? "+" : ""}${weight} ${reason}`);
  return [`Rule ${rule}, ${score} %`, ...reasons].join("; ");
}

/** A value that shows while its button is pressed in. */
function valueButton(exchange, number, { token, type }) {
  const button = element("button", { type: "button", className: "value" }, type);
  const hide = () => {
    button.textContent = type;
    button.classList.remove("shown");
    button.setAttribute("aria-label", `Show the value of ${token}`);
  };
  hide();
  button.addEventListener("click", async () => {
    if (button.classList.contains("shown")) return hide();
    try {
      const { value } = await ask(`api/exchanges/${exchange}/values/${number}`, { method: "POST" });
      button.textContent = value;
      button.classList.add("shown");
      button.setAttribute("aria-label", `${value}, the value of ${token}; hide it`);
    } catch (error) {
      say(error.message, true);
    }
  });
  return button;
}

try {
  offerAlways();
  await open();
  listen();
} catch (error) {
  say(error.message, true);
}
