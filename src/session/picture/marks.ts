import type { Fact, HistoryCompacted, ModelSwitched } from "../../protocol/fact.ts";
import type { Text } from "../../words/language.ts";
import { adjustmentLine } from "../../words/adjustments.ts";
import { LEFT_BECAUSE, promptLine } from "../../words/timeline.ts";
import type { MarkRow } from "./picture.ts";

/** Facts that are told, if at all, as a moment. */
export type MarkFact = Exclude<
  Fact,
  {
    type:
      | "turn-start"
      | "turn-end"
      | "turn-resumed"
      | "turn-parked"
      | "turn-unparked"
      | "segment-start"
      | "receipt"
      | "summary-start"
      | "steer-placed"
      | "approval-requested"
      | "approval-decided"
      | "question-asked"
      | "question-answered"
      | "money-asked"
      | "money-decided"
      | "attempt-start"
      | "attempt-cancelled"
      | "assistant-message"
      | "reply-empty"
      | "reply-cut"
      | "model-failure"
      | "retry-scheduled";
  }
>;

type Said = Pick<MarkRow, "mark" | "text">;

const said = (mark: MarkRow["mark"], text: string | Text = ""): Said => ({ mark, text });

/** What a picture tells of what happened at one moment; undefined: nothing. */
export function markOf(fact: MarkFact): Said | undefined {
  switch (fact.type) {
    case "steer-accepted":
      return said("steer", fact.text);
    case "injection-accepted":
      return said("injection", fact.text);
    case "redirect-accepted":
      return said("redirect", fact.text);
    case "interrupt-requested":
      return said("interrupt", fact.by);
    case "money-warning":
    case "money-end":
      return said("money", `$${fact.spentUsd} / $${fact.limitUsd}`);
    case "deadline-reached":
      return said("deadline", `${fact.limitMs / 1_000} s`);
    case "guardrail-halt":
      return said("guardrail", `${fact.code}: ${fact.tool}`);
    case "bug-caught":
      return said("bug", fact.message);
    case "context-added":
      return said("context", fact.contexts.map(({ source }) => source).join(", "));
    case "closing-message":
      return fact.partial === true ? said("partial") : undefined;
    case "approval-expired":
      return said("expired");
    case "history-imported":
    case "session-forked":
    case "injection-delivered":
    case "redirect-delivered":
    case "auxiliary-run":
      return undefined;
    default:
      return requestMark(fact);
  }
}

type RequestFact = Extract<
  Fact,
  {
    type:
      | "model-switched"
      | "key-rotated"
      | "key-refreshed"
      | "rotation-failed"
      | "chain-spent"
      | "request-adjusted"
      | "history-compacted"
      | "compaction-judged"
      | "compaction-failed"
      | "request-truncated"
      | "prompt-built";
  }
>;

/** Of how requests leave from there on. */
function requestMark(fact: RequestFact): Said | undefined {
  switch (fact.type) {
    case "model-switched":
      return said("model", switched(fact));
    case "key-rotated":
      return said("key", `${fact.from} → ${fact.to}`);
    case "key-refreshed":
      return said("renewed", `${fact.from} → ${fact.to}`);
    case "rotation-failed":
      return said(fact.renewing === true ? "notRenewed" : "keysSpent", fact.key);
    case "chain-spent":
      return said("chainSpent");
    case "request-adjusted":
      return said("adjusted", adjustmentLine(fact.adjustment));
    case "history-compacted":
      return said("compacted", fewer(fact));
    case "compaction-judged":
      return fact.strikes === 0 ? undefined : said("strike", `~${fact.tokens} tokens`);
    case "compaction-failed":
      return said("incompressible");
    case "request-truncated":
      return said("truncated", `${fact.told} / ~${fact.estimated} tokens`);
    case "prompt-built": {
      const line = promptLine(fact.state);
      return line && said("prompt", line);
    }
  }
}

function switched({ provider, model, because }: ModelSwitched): string | Text {
  const name = `${provider}/${model}`;
  const why = because && LEFT_BECAUSE[because];
  return why === undefined ? name : { en: `${name}, because ${why.en}`, zh: `${name}，因为${why.zh}` };
}

const fewer = ({ tokens }: HistoryCompacted): string =>
  tokens === undefined ? "" : `~${tokens.before} → ~${tokens.after} tokens`;
