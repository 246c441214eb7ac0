/**
 * Words of connections, and of what stands between us and a server, in lower case; names of errors as they are.
 * Sources: hermes.md §10.3 steps 10–12, §10.4 (origin gateways), §10.7 (timeout text, disconnect, TLS, transport types);
 * Node.js for its own error codes.
 */

export const TIMED_OUT: readonly string[] = ["timed out", "deadline exceeded"];

/** The server ended the connection: because of the network, or without a word because the request was too long. */
export const DISCONNECTED: readonly string[] = [
  "server disconnected",
  "peer closed connection",
  "connection reset by peer",
  "connection was closed",
  "network connection lost",
  "unexpected eof",
  "incomplete chunked read",
];

/** Something went wrong below HTTP; a long request is never the cause. */
export const TLS: readonly string[] = [
  "bad record mac",
  "ssl alert",
  "tls alert",
  "ssl handshake failure",
  "tlsv1 alert",
  "sslv3 alert",
  "bad_record_mac",
  "ssl_alert",
  "tls_alert",
  "[ssl:",
];

/** What stands before the server says that this did not answer, or not in a form it could pass on. */
export const GATEWAY: readonly string[] = [
  "cloudflare",
  "origin_bad_gateway",
  "origin_unavailable",
  "invalid or incomplete response",
];
export const ORIGIN: readonly string[] = ["origin"];
export const BAD_GATEWAY: readonly string[] = ["bad gateway", "bad_gateway"];

/** Names of errors that come from a connection. */
export const TRANSPORT_ERRORS: ReadonlySet<string> = new Set([
  "ReadTimeout",
  "ConnectTimeout",
  "PoolTimeout",
  "ConnectError",
  "RemoteProtocolError",
  "ConnectionError",
  "ConnectionResetError",
  "ConnectionAbortedError",
  "ConnectionRefusedError",
  "BrokenPipeError",
  "TimeoutError",
  "ReadError",
  "ServerDisconnectedError",
  "SSLError",
  "SSLZeroReturnError",
  "SSLWantReadError",
  "SSLWantWriteError",
  "SSLEOFError",
  "SSLSyscallError",
  "APIConnectionError",
  "APITimeoutError",
  "OSError",
]);

/**
 * Beginnings of names of models that think for minutes: a connection that is lost then was closed by something that did
 * not want to wait, not by a server that finds the request too long (hermes.md §10.3 step 11).
 */
export const THINKS_LONG: readonly string[] = [
  "deepseek-r",
  "deepseek-v4",
  "nemotron-3",
  "qwen3",
  "qwq",
  "o1",
  "o3",
  "o4-mini",
  "grok-4.5",
  "grok-4.6",
  "grok-4-fast",
  "claude-opus-4",
  "claude-opus-5",
  "claude-sonnet-4.5",
  "claude-sonnet-4.6",
  "claude-sonnet-5",
];
