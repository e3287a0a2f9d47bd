// Writes the names of `@faker-js/faker` as lists: `names-of-locales.mjs FAKER TO` writes `TO-LOCALE/src/firstnames.json` and
// `lastnames.json`.
import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [faker, to] = process.argv.slice(2);
const { allLocales } = await import(pathToFileURL(`${faker}/dist/index.js`));

for (const [locale, { person }] of Object.entries(allLocales)) {
  const [first, last] = [person?.first_name, person?.last_name].map(all);
  if (first.length === 0 || last.length === 0) continue;
  const folder = `${to}-${locale}/src`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/firstnames.json`, JSON.stringify(first));
  writeFileSync(`${folder}/lastnames.json`, JSON.stringify(last));
}

function all(names) {
  const lists = Array.isArray(names) ? [names] : Object.values(names ?? {});
  return [...new Set(lists.flat())];
}
