import { type Parameter, PARAMETERS } from "../../protocol/adjustment.ts";

/** Says that something of a request is not taken. */
const REFUSING =
  /unsupported|unknown|unrecogni[sz]ed|unexpected|extraneous|extra inputs|not (?:currently )?(?:supported|permitted|allowed)|not (?:support|accept)\b/;

/**
 * Where the name of what is refused stands: behind the word for it, before what is wrong with it, behind that. After the
 * errors of OpenAI, Anthropic, Gemini, Bedrock, vLLM, LiteLLM, as bug reports of their clients quote them.
 */
const PLACES: readonly RegExp[] = [
  /(?:parameter|argument|name|key|field|property|option)s?(?: supplied| provided| passed| received)?:? ?[["'`(]*([a-z][\w.]*)/g,
  /(?<![\w.])([a-z][\w.]*)["'`\])]*:? (?:is |are |parameter is )?(?:extra inputs|not (?:currently )?(?:supported|permitted|allowed)|unsupported|does not support)/g,
  /(?:not (?:support|accept)|unsupported)(?: the| this)?(?: parameter| value)?:? ["'`]*([a-z][\w.]*)/g,
];

const KNOWN: ReadonlyMap<string, Parameter> = new Map(PARAMETERS.map((name) => [name.toLowerCase(), name]));

/** The parameter that a server or a model does not take, of those that can be left out. `text`: codes and sentences, in lower case. */
export function refusedParameter(text: string): Parameter | undefined {
  if (!REFUSING.test(text)) return undefined;
  const named = PLACES.flatMap((place) => [...text.matchAll(place)]).toSorted((a, b) => a.index - b.index);
  return named.map(([, name = ""]) => parameterIn(name)).find((parameter) => parameter !== undefined);
}

/** `generation_config.thinking_config` names the inner one, `reasoning.effort` the outer. */
const parameterIn = (path: string): Parameter | undefined =>
  path
    .split(".")
    .map((step) => KNOWN.get(step) ?? KNOWN.get(step.replaceAll("_", "")))
    .find((parameter) => parameter !== undefined);
