// Short names for what every module does with the page.

export const byId = (id) => document.getElementById(id);

/** An element with properties and children. */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Sets a text only when it differs, so that nothing is announced twice. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}
