import { isObject, type JsonObject } from "../protocol/json.ts";
import type { Claim, Tool, ToolContext } from "../protocol/tool.ts";
import { reasonOf } from "../protocol/reason-of.ts";
import { issueText, jsonSchemaOf, type OutputOf, type SchemaResult, type StandardSchema } from "./standard-schema.ts";

/** A tool whose arguments a schema describes and validates; what is not said here is as in `Tool`. */
export interface ToolDefinition<Schema extends StandardSchema> extends Pick<
  Tool,
  | "effect"
  | "external"
  | "trusted"
  | "outlives"
  | "cosmetic"
  | "judge"
  | "toolset"
  | "available"
  | "untrustedOutput"
  | "resultLimit"
> {
  /** What it does, for the model. */
  readonly about: string;
  /** Of any library that follows Standard Schema; it describes an object. */
  readonly input: Schema;
  /** JSON Schema of the arguments, for a library that cannot tell its own. */
  readonly parameters?: JsonObject;
  /** `shared` for a pure tool, else `exclusive`, when absent. */
  readonly concurrency?: Tool["concurrency"];
  /** For `paths`: what this call reads and writes. Needs a schema that validates at once. */
  readonly claim?: (input: OutputOf<Schema>) => Claim;
  /** Why a person must agree to this call, or undefined. Needs a schema that validates at once. */
  readonly ask?: (input: OutputOf<Schema>) => string | undefined;
  /** See `Tool.run`; what it is given has been validated. */
  readonly run: (input: OutputOf<Schema>, context: ToolContext) => unknown;
}

/**
 * A tool with typed input. A call that the schema refuses is answered with what is wrong and is not run. Throws a
 * TypeError where nobody can tell the model what the arguments are.
 */
export function tool<Schema extends StandardSchema>(name: string, definition: ToolDefinition<Schema>): Tool {
  const { about, input: schema, effect, judge, available, claim, ask } = definition;
  if (!isSchema(schema))
    throw new TypeError(`The tool "${name}" has no \`input\`: give it a schema that follows Standard Schema.`);
  const now = (input: JsonObject): OutputOf<Schema> | undefined => outputNow(name, schema, input);
  return {
    name,
    description: about,
    parameters: definition.parameters ?? parametersOf(name, schema),
    effect,
    concurrency: definition.concurrency ?? (effect === "pure" ? "shared" : "exclusive"),
    ...saidOf(definition),
    ...(judge && { judge: (result: string) => judge(result) }),
    ...(available && { available: () => available() }),
    // What the schema refuses does not run: there is nothing to claim and nothing to ask.
    ...(claim && { claim: (input: JsonObject) => given(now(input), claim) ?? NOTHING }),
    ...(ask && { ask: (input: JsonObject) => given(now(input), ask) }),
    async run(input, context) {
      const result = await schema["~standard"].validate(input);
      if (result.issues !== undefined) throw new Error(refusal(name, result.issues));
      return definition.run(result.value as OutputOf<Schema>, context);
    },
  };
}

const SAID = ["external", "trusted", "outlives", "cosmetic", "toolset", "untrustedOutput", "resultLimit"] as const;

/** What is the same in `Tool`. */
const saidOf = (definition: Pick<Tool, (typeof SAID)[number]>): Pick<Tool, (typeof SAID)[number]> =>
  Object.fromEntries(SAID.flatMap((name) => (definition[name] === undefined ? [] : [[name, definition[name]]])));

/** Not every caller is compiled. Schemas of some libraries are functions. */
const isSchema = (schema: unknown): boolean =>
  (isObject(schema) || typeof schema === "function") && "~standard" in schema;

const NOTHING: Claim = { mode: "shared" };

const given = <Value, Result>(value: Value | undefined, use: (value: Value) => Result): Result | undefined =>
  value === undefined ? undefined : use(value);

const refusal = (name: string, issues: Parameters<typeof issueText>[0]): string =>
  `${name} was not run, because its arguments are wrong: ${issueText(issues)}. Correct them and call it again.`;

/** Undefined when the schema refuses it. Throws for a schema that answers later: the careful choice is made then. */
function outputNow<Schema extends StandardSchema>(
  name: string,
  schema: Schema,
  input: JsonObject,
): OutputOf<Schema> | undefined {
  const result = schema["~standard"].validate(input) as SchemaResult<OutputOf<Schema>> | Promise<unknown>;
  if (!(result instanceof Promise)) return result.issues === undefined ? result.value : undefined;
  result.catch(() => undefined);
  throw new TypeError(`the schema of ${name} does not validate at once`);
}

function parametersOf(name: string, schema: StandardSchema): JsonObject {
  const { vendor } = schema["~standard"];
  const parameters = described(name, schema);
  if (parameters === undefined)
    throw new TypeError(`${vendor} offers no JSON Schema for the tool "${name}": give one as \`parameters\`.`);
  if (parameters["type"] !== "object")
    throw new TypeError(`The arguments of the tool "${name}" must be an object; its schema describes something else.`);
  return parameters;
}

function described(name: string, schema: StandardSchema): JsonObject | undefined {
  try {
    return jsonSchemaOf(schema);
  } catch (error) {
    const why = reasonOf(error);
    throw new TypeError(`The schema of the tool "${name}" has no JSON Schema (${why}): give one as \`parameters\`.`, {
      cause: error,
    });
  }
}
