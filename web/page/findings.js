// The list of findings.
import { byId, element, setText } from "./dom.js";

const PAGE = 50;
const LONGEST_VALUE = 200;
const PERSONAL = new Set([
  "EMAIL", "PHONE", "CREDIT_CARD", "IP_ADDRESS", "SSN", "PERSON", "LOCATION", "ORGANIZATION",
  "IBAN", "BANK_ACCOUNT", "NATIONAL_ID", "PASSPORT", "DRIVER_LICENSE", "TAX_ID", "HEALTH_ID", "DATE_OF_BIRTH", "ADDRESS",
  "MAC_ADDRESS", "VIN", "LICENSE_PLATE", "CRYPTO_WALLET",
]);
const SECRET = new Set(["API_KEY", "AUTH_TOKEN", "JWT", "PRIVATE_KEY", "URL_CREDENTIAL", "SECRET"]);

const list = byId("findings");
const more = byId("more");
let shown = [];
let text = "";

/** The class of a finding's mark. */
export function markOf({ entity }) {
  if (PERSONAL.has(entity)) return "personal";
  if (SECRET.has(entity)) return "secret";
  return entity === "LITERAL" ? "literal" : "own";
}

/** Calls back with the finding that was chosen. */
export function watchFindings(chosen) {
  list.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button) chosen(shown[[...list.children].indexOf(button.parentElement)]);
  });
  more.addEventListener("click", () => {
    const first = list.children.length;
    addPage();
    list.children[first].firstElementChild.focus();
  });
}

/** Shows the findings in a text; `found` is how many there are in all. */
export function showFindings(input, findings, found) {
  shown = findings;
  text = input;
  list.replaceChildren();
  addPage();
  const rest = found > findings.length ? `, the first ${findings.length} are shown` : "";
  setText(byId("count"), found === 0 ? "Nothing found." : `${found.toLocaleString("en")} found${rest}.`);
}

function addPage() {
  const first = list.children.length;
  list.append(...shown.slice(first, first + PAGE).map(item));
  more.hidden = list.children.length >= shown.length;
}

function item(finding) {
  const { start, end, entity, score, rule } = finding;
  const value = text.slice(start, Math.min(end, start + LONGEST_VALUE));
  return element(
    "li",
    {},
    element(
      "button",
      { type: "button" },
      element("mark", { className: markOf(finding) }, entity),
      element("code", {}, value),
      element("span", {}, `${score} % · ${rule}`),
    ),
  );
}
