import type { TurnEvent } from "../../protocol/fact.ts";
import type { Lane } from "../../session/lane.ts";
import type { Language } from "../../words/language.ts";
import type { Io } from "../io.ts";
import { Screen } from "./screen.ts";
import { isDumb, Surface } from "./surface.ts";

/** Shows a headless turn to whoever looks on. */
export interface Follower {
  readonly surface: Surface;
  begin(lane: Lane): void;
  event(event: TurnEvent): void;
  /** Before anything else is written. */
  done(): void;
}

/** Whom it is shown to. */
export interface Viewer {
  /** Without escape sequences, whatever the terminal takes. */
  readonly plain: boolean;
  readonly language: Language;
}

export function openFollower(io: Io, { plain, language }: Viewer): Follower {
  const surface = new Surface(io, { plain: plain || isDumb(io) });
  const screen = new Screen({ io, surface, language, streams: false, tellsWaits: false, mark: "" });
  return {
    surface,
    begin: (lane) => screen.watch(lane),
    event: (event) => screen.event(event),
    done: () => {
      screen.done();
      surface.close();
    },
  };
}
