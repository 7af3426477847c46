// Python and the parser, beside the page, so that the page never waits and a reading can be stopped.

const PACKAGES = "/packages";

async function fetched(base, name) {
  const response = await fetch(new URL(name, base));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response;
}

async function started(base) {
  const { loadPyodide } = await import(new URL("python/pyodide.mjs", base));
  const [python, names] = await Promise.all([
    loadPyodide({ indexURL: new URL("python/", base).href }),
    fetched(base, "wheels.json").then((response) => response.json()),
  ]);
  const wheels = await Promise.all(names.map((name) => fetched(base, `wheels/${name}`).then((one) => one.arrayBuffer())));
  for (const wheel of wheels) python.unpackArchive(wheel, "wheel");
  python.FS.mkdirTree(PACKAGES);
  python.FS.writeFile(`${PACKAGES}/reading.py`, await (await fetched(base, "reading.py")).text());
  python.runPython(`import sys; sys.path.append("${PACKAGES}")`);
  return python.pyimport("reading");
}

let reading;

self.onmessage = async ({ data }) => {
  try {
    if (data.base) {
      reading = await started(data.base);
      self.postMessage({ ready: true });
      return;
    }
    const start = performance.now();
    const told = reading.read(data.text, data.source, data.finished, data.coerce, data.language);
    self.postMessage({ told, milliseconds: performance.now() - start });
  } catch (error) {
    self.postMessage({ broken: String(error.message ?? error) });
  }
};
