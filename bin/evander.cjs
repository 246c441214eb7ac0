#!/usr/bin/env node
// Syntax of old Nodes on purpose: an old one has to get far enough to say what it lacks.
"use strict";

var MINIMUM_MAJOR = 24;

/** Where compiled code is kept between runs. Not the shared temporary folder, whose files others could plant. */
function cacheFolder(env, platform) {
  var path = require("path");
  if (env.EVANDER_HOME) return path.join(env.EVANDER_HOME, "cache", "compiled");
  if (env.XDG_CACHE_HOME) return path.join(env.XDG_CACHE_HOME, "evander", "compiled");
  if (platform === "win32") return env.LOCALAPPDATA && path.join(env.LOCALAPPDATA, "evander", "compiled");
  return env.HOME && path.join(env.HOME, platform === "darwin" ? "Library/Caches" : ".cache", "evander", "compiled");
}

function start() {
  var folder = cacheFolder(process.env, process.platform);
  if (folder) require("module").enableCompileCache(folder);
  return import("../dist/main.js");
}

/** The program reports its own troubles; what arrives here kept it from loading. */
function reportDamage(error) {
  process.stderr.write("evander: the program cannot be loaded (" + error.message + "); install it again\n");
  process.exitCode = 70;
}

if (parseInt(process.versions.node, 10) < MINIMUM_MAJOR) {
  process.stderr.write(
    "evander: Node " +
      MINIMUM_MAJOR +
      " or newer is needed and this is " +
      process.version +
      "; install it from https://nodejs.org and run the command again\n",
  );
  process.exitCode = 78;
} else {
  start().catch(reportDamage);
}
