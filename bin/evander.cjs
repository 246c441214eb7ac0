#!/usr/bin/env node
// Syntax of old Nodes on purpose: an old one has to get far enough to say what it lacks.
"use strict";

var MINIMUM_MAJOR = 24;

/** Below this, the room is left to what the user wants to keep. Bytes. */
var CACHE_NEEDS_FREE = 64 * 1024 * 1024;

/** The folder that src/config/paths.ts finds: it must be known before the first line of the program is compiled. */
function stateFolder(env) {
  var path = require("path");
  if (isAbsolute(env.EVANDER_HOME)) return env.EVANDER_HOME;
  var base = isAbsolute(env.XDG_STATE_HOME)
    ? env.XDG_STATE_HOME
    : path.join(require("os").homedir(), ".local", "state");
  return path.join(base, "evander");
}

function isAbsolute(path) {
  return Boolean(path) && path[0] === "/";
}

/**
 * Keeps compiled code between runs in a state folder that is there already: the store makes it, and others cannot
 * write to it. Folders are made one at a time, because a recursive mkdir of Node never returns where a file system
 * refuses new folders with ENOENT, as /proc does.
 */
function keepCompiledCode(folder) {
  var fs = require("fs");
  var cache = require("path").join(folder, "cache");
  try {
    var disk = fs.statfsSync(folder);
    if (disk.bavail * disk.bsize < CACHE_NEEDS_FREE) return;
    if (!fs.existsSync(cache)) fs.mkdirSync(cache, 448); // 0o700
    require("module").enableCompileCache(cache);
  } catch {
    // It only saves time.
  }
}

function start() {
  keepCompiledCode(stateFolder(process.env));
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
