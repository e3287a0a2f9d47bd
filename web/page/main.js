// The page: sends what is typed to the engine, and shows the results.
import { byId, setText } from "./dom.js";
import { engine } from "./engine-client.js";
import { showFindings, watchFindings } from "./findings.js";
import { input, select, setInput, showMarks, watchInput } from "./input.js";
import { LONG, MOST_SHOWN } from "./limits.js";
import { restart, setReply, watchReply } from "./reply.js";
import { echo, sample } from "./samples.js";
import { controls, link, showSettingsErrors, watchSettings } from "./settings.js";

const form = byId("form");
let masked = "";
let replyIsOwn = false;
let isMasking = false;
let isStale = false;
let triedControls;
// The text that the page put into a body, and the body.
let inner;
let made;
let lastForm;

watchSettings(update);
watchInput(update);
watchFindings(select);
watchReply(() => (replyIsOwn = true));

form.addEventListener("change", () => {
  changeForm();
  replyIsOwn = false;
  update();
});
byId("example").addEventListener("click", () => {
  showExample();
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

showExample();
update();
engine.ready().then(
  () => setText(byId("state"), "Ready."),
  (error) => setText(byId("state"), `The engine could not be loaded: ${error.message}`),
);
keepForOffline();

/** Shows the example, or another text, in the chosen format. */
function showExample(text) {
  inner = text;
  made = sample(form.value, text);
  lastForm = form.value;
  setInput(made);
}

/** Keeps what was typed: a text is put into a body of the new format, a body stays as it is. */
function changeForm() {
  const typed = input();
  if (typed === made || typed === "") return showExample(typed === "" ? undefined : inner);
  if (lastForm === "text" && typed.length < LONG && !typed.trimStart().startsWith("{")) return showExample(typed);
  lastForm = form.value;
}

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
    const off = await engine.configure(settings);
    setText(byId("off"), off === "" ? "" : `Not looked for: ${off}. You can turn types on in the settings.`);
    showSettingsErrors([]);
  } catch (error) {
    showSettingsErrors(errorsIn(error.message));
  }
}

/** The errors in the settings; none where the engine itself failed. */
function errorsIn(message) {
  try {
    return JSON.parse(message);
  } catch {
    return [];
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
