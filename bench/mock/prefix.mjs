/**
 * Whether each request begins with the one before it: what prompt caches live on.
 * @typedef {object} PrefixReport
 * @property {number} pairs neighbouring requests that were compared
 * @property {number} appended pairs whose messages are the earlier messages and more
 * @property {number} sameHead pairs in which all but the messages is the same
 */

/**
 * @param {readonly { iteration: number, body: string }[]} requests
 * @returns {PrefixReport}
 */
export function comparePrefixes(requests) {
  const report = { pairs: 0, appended: 0, sameHead: 0 };
  /** @type {{ iteration: number, messages: string, head: string } | undefined} */
  let previous;
  for (const { iteration, body } of requests) {
    const { messages, ...head } = JSON.parse(body);
    const current = { iteration, messages: JSON.stringify(messages).slice(0, -1), head: JSON.stringify(head) };
    if (previous !== undefined && iteration === previous.iteration + 1) {
      report.pairs++;
      if (current.messages.startsWith(previous.messages)) report.appended++;
      if (current.head === previous.head) report.sameHead++;
    }
    previous = current;
  }
  return report;
}
