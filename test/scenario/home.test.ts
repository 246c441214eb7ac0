import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { fakeProvider } from "../support/fake-provider.ts";
import { callTools, say } from "../support/wire-script.ts";
import { Place, resultOf } from "./program.ts";

const TOKEN = "llat-0123456789abcdefghij";

interface Home extends AsyncDisposable {
  readonly url: string;
  readonly asked: string[];
}

/** A home with one lamp. */
async function home(): Promise<Home> {
  const asked: string[] = [];
  const server = createServer(({ method, url, headers }, response) => {
    asked.push(`${method} ${url}`);
    const isRight = headers.authorization === `Bearer ${TOKEN}`;
    const states = [{ entity_id: "light.kitchen", state: "on", attributes: { friendly_name: "Kitchen lamp" } }];
    response.writeHead(isRight ? 200 : 401).end(JSON.stringify(states));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const named = (body: { readonly tools?: readonly unknown[] }): string[] =>
  (body.tools ?? []).map((tool) => (tool as { function: { name: string } }).function.name);

test("[E9] the owner's home is read with its token, which no model is told; what is done there needs a yes", async () => {
  const place = new Place();
  await using provider = await fakeProvider([
    callTools([{ id: "c1", name: "ha_list_entities", arguments: {} }]),
    callTools([
      {
        id: "c2",
        name: "ha_call_service",
        arguments: { domain: "light", service: "turn_off", entity_id: "light.kitchen" },
      },
    ]),
    say("Done."),
  ]);
  await using lamp = await home();
  try {
    const config = ["--config", `home.url=${lamp.url}`, "--config", "home.token={env: HOME_TOKEN}"];
    const ended = await place.run(provider.baseUrl, ["-p", "go", "--output", "json", ...config], {
      env: { HOME_TOKEN: TOKEN },
    });
    expect(resultOf(ended).answer).toBe("Done.");
    const told = JSON.stringify(provider.requests.map(({ body }) => body));
    expect(told).toContain("light.kitchen = on (Kitchen lamp)");
    expect(told).not.toContain(TOKEN);
    expect(lamp.asked).toEqual(["GET /api/states"]);
  } finally {
    place.remove();
  }
});

test("[E9] without an address no tool of a home is offered, and none that needs a gateway", async () => {
  const place = new Place();
  await using provider = await fakeProvider([say("Done.")]);
  try {
    await place.run(provider.baseUrl, ["-p", "go"]);
    const names = named(provider.requests[0]?.body ?? {});
    expect(names).toContain("read_file");
    expect(names.filter((name) => /^(?:ha_.*|cron|message)$/u.test(name))).toEqual([]);
  } finally {
    place.remove();
  }
});
