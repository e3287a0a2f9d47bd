// Makes JavaScript of the component: transpile.mjs COMPONENT FOLDER
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { transpile } from "@bytecodealliance/jco-transpile";

const [component, folder] = process.argv.slice(2);
const { files } = await transpile(component, { name: "maskproxy", outDir: folder });
for (const [name, content] of Object.entries(files)) {
  const path = name.startsWith(folder) ? name : join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
