// The page: what is typed goes to the engine, what it tells is shown.
import { byId, setText } from "./dom.js";
import { engine } from "./engine-client.js";
import { showFindings, watchFindings } from "./findings.js";
import { input, select, setInput, showMarks, watchInput } from "./input.js";
import { MOST_SHOWN } from "./limits.js";
import { restart, setReply, watchReply } from "./reply.js";
import { echo, sample } from "./samples.js";
import { controls, link, showSettingsError, watchSettings } from "./settings.js";

const form = byId("form");
let masked = "";
let replyIsOwn = false;
let isMasking = false;
let isStale = false;
let triedControls;

watchSettings(update);
watchInput(update);
watchFindings(select);
watchReply(() => (replyIsOwn = true));

form.addEventListener("change", () => {
  setInput(sample(form.value));
  replyIsOwn = false;
  update();
});
byId("example").addEventListener("click", () => {
  setInput(sample(form.value));
  update();
});
byId("clear").addEventListener("click", () => {
  setInput("");
  byId("input").focus();
  update();
});
byId("echo").addEventListener("click", () => {
  replyIsOwn = false;
  setReply(echo(form.value, masked));
});
byId("copy").addEventListener("click", () => copy(masked, "The masked text was copied."));
byId("share").addEventListener("click", () => {
  history.replaceState(null, "", link());
  copy(link(), "The link was copied. It is also in the address bar.");
});

setInput(sample(form.value));
update();
engine.ready().then(
  () => setText(byId("state"), "Ready."),
  (error) => setText(byId("state"), `The engine could not be loaded: ${error.message}`),
);
keepForOffline();

/** Where the browser allows it; without, the page only needs its server when it is opened. */
async function keepForOffline() {
  try {
    await navigator.serviceWorker.register("offline.js");
    await navigator.serviceWorker.ready;
    setText(byId("state"), "Ready. The page also works offline.");
  } catch {
    // A private window, or a server without TLS.
  }
}

/** Masks what is in the field now; what changes meanwhile is masked next. */
async function update() {
  isStale = true;
  if (isMasking) return;
  isMasking = true;
  while (isStale) {
    isStale = false;
    await mask(input(), controls());
  }
  isMasking = false;
}

async function mask(text, settings) {
  if (settings !== triedControls) await configure(settings);
  try {
    const outcome = await engine.mask(form.value, text);
    if (!isStale) show(text, outcome);
  } catch (error) {
    showRefusal(error.message);
  }
}

async function configure(settings) {
  triedControls = settings;
  try {
    await engine.configure(settings);
    showSettingsError(undefined);
  } catch (error) {
    // The name of the control stands before a tab.
    const [control, why] = error.message.split("\t");
    if (why !== undefined) showSettingsError(control, `${why}. The previous settings stay in use.`);
  }
}

function show(text, outcome) {
  showProblem("");
  masked = outcome.masked;
  showMarks(outcome.findings);
  showFindings(text, outcome.findings, outcome.found);
  setText(byId("masked"), masked.slice(0, MOST_SHOWN));
  const cut = byId("cut");
  cut.hidden = masked.length <= MOST_SHOWN;
  setText(cut, `The first ${MOST_SHOWN.toLocaleString("en")} of ${masked.length.toLocaleString("en")} characters. Copy copies everything.`);
  if (replyIsOwn) restart();
  else setReply(echo(form.value, masked));
}

function showRefusal(message) {
  masked = "";
  showMarks([]);
  showFindings("", [], 0);
  setText(byId("count"), "");
  setText(byId("masked"), "");
  byId("cut").hidden = true;
  restart();
  showProblem(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
}

function showProblem(message) {
  setText(byId("problem"), message);
  byId("input").setAttribute("aria-invalid", String(message !== ""));
}

async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    setText(byId("state"), done);
  } catch {
    setText(byId("state"), "The browser did not allow copying.");
  }
}
