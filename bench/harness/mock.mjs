import { spawn } from "node:child_process";
import http from "node:http";
import { fileURLToPath } from "node:url";

/**
 * What the mock answers under one run id: `iterations` times `tools` calls, then a text of `chunks` chunks.
 * @typedef {object} Script
 * @property {string} id
 * @property {number} iterations
 * @property {number} [tools] calls per reply
 * @property {number} [chunks]
 * @property {number} [delta] characters per chunk
 * @property {number} [think] size of a `<think>` block in front of the text, in bytes
 * @property {number} [pace] events per second; absent: as fast as the socket takes them
 * @property {number} [latencyMs]
 * @property {boolean} [keepBodies]
 * @property {boolean} [lastTurnOnly] the history may hold earlier turns: count only behind the last user message
 *
 * @typedef {object} LogEntry one request, times from the clock all processes share
 * @property {number} iteration
 * @property {number} size
 * @property {number} arrivedMs
 * @property {number} endMs
 * @property {number[]} [writes]
 */

/** The scripted model in a process of its own. */
export class Mock {
  /** @type {import("node:child_process").ChildProcess} */
  #child;
  /** @type {number} */
  #port;

  /**
   * @param {import("node:child_process").ChildProcess} child
   * @param {number} port
   */
  constructor(child, port) {
    this.#child = child;
    this.#port = port;
  }

  /** @returns {Promise<Mock>} */
  static async start() {
    const file = fileURLToPath(new URL("../mock/server.mjs", import.meta.url));
    const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
    for await (const line of child.stdout) return new Mock(child, JSON.parse(String(line)).port);
    throw new Error("the mock model did not start");
  }

  get origin() {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** @param {string} id */
  baseUrl(id) {
    return `${this.origin}/r/${id}/v1`;
  }

  /** @param {Script} script */
  register(script) {
    return this.#ask("POST", "/__run", script);
  }

  /**
   * @param {string} id
   * @returns {Promise<{ log: LogEntry[], prefix: import("../mock/prefix.mjs").PrefixReport }>}
   */
  log(id) {
    return this.#ask("GET", `/__run?id=${id}`);
  }

  /** @param {string} id */
  forget(id) {
    return this.#ask("DELETE", `/__run?id=${id}`);
  }

  /** CPU seconds the mock has used. */
  async cpuSeconds() {
    const { user, system } = await this.#ask("GET", "/__cpu");
    return (user + system) / 1e6;
  }

  stop() {
    this.#child.kill("SIGTERM");
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  #ask(method, path, body) {
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.#port, method, path, agent: false };
      const request = http.request(options, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve(JSON.parse(text)));
      });
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}
