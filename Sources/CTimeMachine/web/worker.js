// Runs the core: one log, one question at a time, in the order in which they come.
let core;

async function inflate(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Copies bytes into the memory of a core, to be freed by who asked for it.
function put(core, bytes) {
  const at = core.malloc(Math.max(1, bytes.length)) >>> 0;
  if (!at) throw new Error("the log needs more memory than the browser allows");
  new Uint8Array(core.memory.buffer, at, bytes.length).set(bytes);
  return at;
}

function take(core, at) {
  at = at >>> 0;
  const length = new DataView(core.memory.buffer).getUint32(at, true);
  const bytes = new Uint8Array(core.memory.buffer, at + 4, length).slice();
  core.free(at);
  return bytes;
}

// Integers that a double cannot hold become texts, so that they are shown as they are.
const exact = (_, value, context) => typeof value === "number" && !Number.isSafeInteger(value)
  && /^-?\d+$/.test(context?.source ?? "") ? context.source : value;
const parse = (text) => /\d{16}/.test(text) ? JSON.parse(text, exact) : JSON.parse(text);

let module;
async function open({ wasm, log, name, rules }) {
  if (wasm) module = await WebAssembly.compile(await inflate(wasm));
  let bytes;
  try { bytes = await inflate(log); } catch { throw new Error("the log cannot be decompressed"); }
  const started = performance.now();
  // An instance of its own: if the log cannot be opened, the one before goes on.
  const made = (await WebAssembly.instantiate(module, {})).exports;
  const text = new TextEncoder();
  const parts = [bytes, text.encode(name), text.encode(rules)];
  const places = parts.map((part) => put(made, part));
  const error = made.open(
    places[0], parts[0].length, places[1], parts[1].length, places[2], parts[2].length);
  places.forEach((place) => made.free(place));
  if (error) throw new Error(new TextDecoder().decode(take(made, error)));
  core = made;
  return { bytes: bytes.length, opening: performance.now() - started };
}

function reply(question) {
  if (!core) throw new Error("no log is open");
  const bytes = new TextEncoder().encode(question);
  const at = put(core, bytes);
  const answer = core.reply(at, bytes.length);
  core.free(at);
  if (!answer) throw new Error("no log is open");
  return take(core, answer);
}

let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(async () => {
    try {
      if (data.open) return postMessage({ id: data.id, answer: await open(data.open) });
      const bytes = reply(data.question);
      if (data.raw) return postMessage({ id: data.id, answer: bytes }, [bytes.buffer]);
      postMessage({
        id: data.id, answer: parse(new TextDecoder().decode(bytes)),
        memory: core.memory.buffer.byteLength });
    } catch (error) {
      const stopped = error instanceof WebAssembly.RuntimeError;
      if (stopped) core = null;
      postMessage({ id: data.id, error: stopped
        ? `the core has stopped (${error.message}): open the page again, and report this question: `
          + data.question : String(error.message ?? error) });
    }
  });
};
