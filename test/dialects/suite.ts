import { BROKEN_STREAMS } from "./suite-broken.ts";
import { FRAMES } from "./suite-frames.ts";
import { FUZZ } from "./suite-fuzz.ts";
import type { Item } from "./suite-item.ts";
import { REPLIES } from "./suite-replies.ts";

/** One suite for all dialects: what each of them must do with whatever its servers say. */
export const SUITE: readonly Item[] = [...REPLIES, ...FRAMES, ...BROKEN_STREAMS, ...FUZZ];
