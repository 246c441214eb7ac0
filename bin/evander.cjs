#!/usr/bin/env node
// Syntax of old Nodes on purpose: an old one has to get far enough to say what it lacks.
"use strict";

var MINIMUM_MAJOR = 24;

/** Below this, the room is left to what the user wants to keep. Bytes. */
var CACHE_NEEDS_FREE = 64 * 1024 * 1024;

/** The folder that src/config/folders.ts finds: it must be known before the first line of the program is compiled. */
function cacheFolder(env) {
  var path = require("path");
  var home = require("os").homedir();
  if (isAbsolute(env.EVANDER_HOME)) return path.join(env.EVANDER_HOME, "cache");
  if (isAbsolute(env.XDG_CACHE_HOME)) return path.join(env.XDG_CACHE_HOME, "evander");
  if (process.platform === "darwin") return path.join(home, "Library", "Caches", "evander");
  if (process.platform !== "win32") return path.join(home, ".cache", "evander");
  var local = isAbsolute(env.LOCALAPPDATA) ? env.LOCALAPPDATA : path.join(home, "AppData", "Local");
  return path.join(local, "evander", "cache");
}

function isAbsolute(path) {
  return Boolean(path) && require("path").isAbsolute(path);
}

/**
 * Keeps compiled code between runs in a cache folder that is there already: whoever opens a store makes it, and others
 * cannot write to it.
 */
function keepCompiledCode(folder) {
  var fs = require("fs");
  var compiled = require("path").join(folder, "compiled");
  try {
    var disk = fs.statfsSync(folder);
    if (disk.bavail * disk.bsize < CACHE_NEEDS_FREE) return;
    if (!fs.existsSync(compiled)) fs.mkdirSync(compiled, 448); // 0o700
    require("module").enableCompileCache(compiled);
  } catch {
    // It only saves time.
  }
}

function start() {
  keepCompiledCode(cacheFolder(process.env));
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
