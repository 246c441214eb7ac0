import type { JsonObject } from "../protocol/json.ts";

/** What any library of schemas offers that follows Standard Schema v1 (https://standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema v1; not every library has it. Throws for what JSON Schema cannot say. */
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => JsonObject };
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a value is once it was validated. */
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** The JSON Schema of what goes in; undefined where the library offers none. */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | undefined {
  const { $schema: _, ...described } = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" }) ?? {};
  return Object.keys(described).length === 0 ? undefined : described;
}

/** One clause for each issue: where, and what is wrong there. */
export const issueText = (issues: readonly SchemaIssue[]): string =>
  issues.map(({ message, path = [] }) => [...placeOf(path), message].join(": ")).join("; ");

function placeOf(path: NonNullable<SchemaIssue["path"]>): string[] {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? [] : [keys.join(".")];
}
