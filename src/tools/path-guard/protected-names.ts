import { relative } from "node:path";

// The lists are those of security §3.3 and §3.4.
const SECRET_FOLDERS =
  /(?:^|\/)(?:\.ssh|\.aws|\.azure|\.kube|\.gnupg|\.password-store|\.mozilla|\.thunderbird|library\/keychains|\.local\/share\/keyrings|\.config\/(?:gcloud|gh|op|google-chrome|chromium|bravesoftware|microsoft-edge))(?:\/|$)/;
const SECRET_FILES = new RegExp(
  String.raw`(?:^|/)(?:\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.docker/config\.json|\.cargo/credentials[^/]*` +
    String.raw`|\.env[^/]*|id_(?:rsa|dsa|ecdsa|ed25519)[^/]*|[^/]*\.(?:pem|key|p12|pfx|kdbx)` +
    String.raw`|[^/]*credentials[^/]*\.json|service-account[^/]*\.json)$`,
);
const NO_SECRET = /(?:^|\/)(?:\.env\.(?:example|sample|template)|[^/]*\.pub)$/;
const SYSTEM_SECRETS =
  /^(?:\/private)?\/etc\/(?:g?shadow-?|sudoers(?:\.d\/.*|[^/]*)|master\.passwd|ssl\/private(?:\/.*)?|ssh\/ssh_host_[^/]*)$|^\/sys\/firmware(?:\/|$)/;
const PROCESS =
  /^\/proc\/([^/]+)(?:\/task\/[^/]+)?\/(?:environ|mem|maps|smaps|auxv|stack|fd|fdinfo|map_files|root|cwd|exe)(?:\/|$)/;
const CONTROL_SOCKETS = /^(?:\/var)?\/run\/(?:docker|podman\/podman|containerd\/containerd|crio\/crio)\.sock$/;
const OTHER_AGENTS = /^\.(?:claude|codex|gemini|hermes|openclaw|nanobot)(?:\/|$)/;
const STEERING = new RegExp(
  String.raw`(?:^|/)(?:\.git|\.vscode|\.idea|\.cursor|\.agents|\.evander)(?:/|$)|(?:^|/)node_modules/\.bin(?:/|$)` +
    String.raw`|(?:^|/)(?:agents|claude|gemini|\.?evander)\.md$|(?:^|/)\.(?:mcp\.json|cursorrules|gitmodules|gitattributes)$` +
    String.raw`|(?:^|/)\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc)$`,
);

/** Names are compared folded everywhere: a disk that folds case may be mounted anywhere. */
const comparable = (path: string): string => path.normalize("NFKC").toLowerCase().replaceAll("\\", "/");

/** What a resolved path gives away, as the end of a sentence; undefined when its name says nothing of the kind. */
export function whatItGivesAway(real: string, home: string): string | undefined {
  const path = comparable(real);
  if (PROCESS.test(path)) return "shows the inside of a running process";
  if (CONTROL_SOCKETS.test(path)) return "gives control of this whole machine";
  const inHome = comparable(relative(home, real));
  if (OTHER_AGENTS.test(inHome)) return "usually holds secrets";
  const isSecret = SECRET_FOLDERS.test(path) || SYSTEM_SECRETS.test(path) || SECRET_FILES.test(path);
  return isSecret && !NO_SECRET.test(path) ? "usually holds secrets" : undefined;
}

/** The memory, environment and open files of this very process, which hold its keys. */
export function isOwnProcess(real: string): boolean {
  const whose = PROCESS.exec(comparable(real))?.[1];
  return whose !== undefined && ["self", "thread-self", String(process.pid)].includes(whose);
}

/** What is written there decides what other programs run or are told; the path is relative to a root. */
export const steersPrograms = (path: string): boolean => STEERING.test(comparable(path));

/** A link of the system itself that leads into a process: never followed, its name is judged. */
export const isMagicLink = (path: string): boolean =>
  /^\/proc\/[^/]+(?:\/task\/[^/]+)?\/(?:root|cwd|exe|fd\/[^/]+|map_files\/[^/]+|ns\/[^/]+)$/.test(path);
