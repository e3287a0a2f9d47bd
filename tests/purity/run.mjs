// Runs inputs through the module: run.mjs MODULE. Standard input and output hold frames, each a length of
// 4 bytes, little-endian, and its bytes. The first frame of the output lists the module's imports.
import { readFileSync, writeSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = WebAssembly.Module.imports(module);
send(Buffer.from(imports.map(({ module, name }) => `${module}.${name}`).join("\n")));
const { allocate, call, memory } = new WebAssembly.Instance(module, {}).exports;

const input = readFileSync(0);
for (let at = 0; at < input.length; ) {
  const length = input.readUInt32LE(at);
  const pointer = allocate(length);
  new Uint8Array(memory.buffer).set(input.subarray(at + 4, at + 4 + length), pointer);
  const output = call(pointer, length);
  const size = new DataView(memory.buffer).getUint32(output, true);
  send(Buffer.from(memory.buffer, output + 4, size));
  at += 4 + length;
}

function send(bytes) {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  for (let all = Buffer.concat([head, bytes]); all.length > 0; ) {
    all = all.subarray(writeSync(1, all));
  }
}
