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
let sentControls = "";

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
byId("copy").addEventListener("click", () => copy(masked, "The masked text is copied."));
byId("share").addEventListener("click", () => {
  history.replaceState(null, "", link());
  copy(link(), "The link is copied; it is in the address bar, too.");
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
    setText(byId("state"), "Ready, and kept for use without a network.");
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
  try {
    const outcome = await engine.mask(settings === sentControls ? undefined : settings, form.value, text);
    sentControls = settings;
    if (isStale) return;
    show(text, outcome);
  } catch (error) {
    showError(error.message);
  }
}

function show(text, outcome) {
  showSettingsError(undefined);
  showProblem("");
  masked = outcome.masked;
  showMarks(outcome.findings);
  showFindings(text, outcome.findings, outcome.found);
  setText(byId("masked"), masked.slice(0, MOST_SHOWN));
  const cut = byId("cut");
  cut.hidden = masked.length <= MOST_SHOWN;
  setText(cut, `The first ${MOST_SHOWN} of ${masked.length} characters. Copy takes all.`);
  if (replyIsOwn) restart();
  else setReply(echo(form.value, masked));
}

/** Errors of the settings name their control before a tab. */
function showError(message) {
  const [control, why] = message.split("\t");
  if (why !== undefined) {
    showSettingsError(control, why);
    return;
  }
  showSettingsError(undefined);
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
