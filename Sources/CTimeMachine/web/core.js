// The core in its worker, as promises.

const decode = (id) => {
  const text = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
};

let worker, calls = new Map(), made = 0;
export const figures = { memory: 0, opening: 0, bytes: 0 };
const busy = () => { document.getElementById("busy").textContent = calls.size > 0 ? "…" : ""; };

function start() {
  const source = document.getElementById("worker").textContent;
  worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => {
    const call = calls.get(data.id);
    calls.delete(data.id);
    busy();
    if (data.memory) figures.memory = data.memory;
    if (data.error) call.reject(new Error(data.error));
    else call.resolve(data.answer);
  };
  worker.onerror = (event) => {
    for (const call of calls.values()) call.reject(new Error(event.message));
    calls.clear();
    busy();
  };
}

function call(message) {
  return new Promise((resolve, reject) => {
    calls.set(++made, { resolve, reject });
    busy();
    worker.postMessage({ id: made, ...message });
  });
}

export const settings = JSON.parse(document.getElementById("settings").textContent);

/// Opens the log in the page, or the bytes of another.
export async function open(bytes, name) {
  const isFirst = !worker;
  if (isFirst) start();
  const opened = await call({ open: {
    wasm: isFirst ? decode("core") : null, log: bytes ?? decode("log"),
    name: name ?? settings.name, rules: settings.rules } });
  Object.assign(figures, opened);
  return opened;
}

/// Asks, and throws what the core says where there is no answer.
export async function ask(name, members = {}) {
  const answer = await call({ question: JSON.stringify({ ask: name, ...members }) });
  if (!answer.ok) throw new Error(answer.error);
  return answer;
}

/// The numbers of the whole history that pictures are drawn from.
export async function tracks() {
  const bytes = await call({ question: JSON.stringify({ ask: "tracks" }), raw: true });
  const view = new DataView(bytes.buffer);
  const [events, count] = [Number(view.getBigUint64(0, true)), Number(view.getBigUint64(8, true))];
  let at = 16;
  const times = new Float64Array(events);
  for (let i = 0; i < events; i++, at += 8) times[i] = Number(view.getBigInt64(at, true));
  const actors = new Uint32Array(bytes.buffer.slice(at, at += events * 4));
  const all = new Uint32Array(bytes.buffer.slice(at, at += count * 20));
  const types = bytes.slice(at, at + events);
  return { events, times, actors, types, count, all, users: (await ask("people")).users };
}
