import { setUp } from "./set-up.mjs";

/** Tests that run the built program must meet the sources as they are. */
export default async function buildBeforeTests() {
  await setUp(process.cwd(), { bundle: true });
}
