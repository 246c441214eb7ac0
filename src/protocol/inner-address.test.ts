import { expect, test } from "vitest";
import { innerAddress } from "./inner-address.ts";

test("[security 3.5] numbers in every form lead inside, whatever they are written as", () => {
  const forms =
    "127.0.0.1 127.1 0x7f.1 2130706433 017700000001 0 10.1.2.3 192.168.1.1 172.31.0.1 100.64.0.1 224.0.0.1 [::1] [::] " +
    "[fc00::1] [fd12:3456::1] [fe80::1] [::ffff:10.0.0.1] [::10.0.0.1] [64:ff9b::a00:1] [2002:a00:1::] " +
    "[2001:0:0:0:0:0:f5ff:fffe] [2a00::5efe:a00:1] localhost a.localhost db.internal nas.local x.home.arpa printer LOCALHOST.";
  for (const host of forms.split(" ")) expect([host, innerAddress(host)]).toEqual([host, "internal"]);
});

test("[security 3.5] addresses that give out keys are known in every form", () => {
  const forms =
    "169.254.169.254 169.254.170.2 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518 [::ffff:169.254.169.254] " +
    "[64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::1] [fd00:ec2::254] 100.100.100.200 168.63.129.16 192.0.0.192 " +
    "metadata.google.internal METADATA.goog. instance-data 169。254。169。254";
  for (const host of forms.split(" ")) expect([host, innerAddress(host)]).toEqual([host, "metadata"]);
});

test("[security 3.5] what is out in the world is not inside, nor is what names no host", () => {
  for (const host of "example.com 8.8.8.8 172.32.0.1 100.128.0.1 [2606:4700::1111] internal.example.com 1.2.3.4".split(
    " ",
  ))
    expect([host, innerAddress(host)]).toEqual([host, undefined]);
  expect([innerAddress(""), innerAddress("a b")]).toEqual([undefined, undefined]);
});
