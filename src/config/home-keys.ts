import type { Key } from "./keys.ts";

/** The owner's Home Assistant (row E9). */
export const HOME_KEYS: readonly Key[] = [
  {
    name: "home.url",
    takes: { type: "address" },
    meaning: "the address of your Home Assistant, such as http://homeassistant.local:8123; its tools are offered then",
    usually: "none",
    project: "nothing",
  },
  {
    name: "home.token",
    takes: { type: "secret" },
    meaning: "where its long-lived access token lies",
    usually: "the variable HASS_TOKEN",
    project: "nothing",
  },
];
