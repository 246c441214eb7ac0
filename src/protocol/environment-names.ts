/**
 * Variables that decide what other programs load, run, trust or ask: nobody but the owner's own shell sets them, and no
 * model, skill or workspace does (security §3.1 C5). A name that ends in `*` stands for all that begin so, one that begins
 * with `*` for all that end so.
 */
const DANGEROUS: readonly string[] = `
  PATH HOME SHELL IFS CDPATH ENV BASH_ENV BASHOPTS SHELLOPTS PROMPT_COMMAND PS0 PS1 PS2 PS4 HISTFILE EXECIGNORE
  GLOBIGNORE INPUTRC ZDOTDIR FPATH KSH_ENV BASH_FUNC_* BASH_LOADABLES_PATH BASH_XTRACEFD TMPDIR XDG_* LD_* DYLD_*
  MALLOC_* GLIBC_TUNABLES GCONV_PATH LOCPATH NLSPATH HOSTALIASES LOCALDOMAIN RES_OPTIONS GETCONF_DIR NODE_OPTIONS
  NODE_PATH NODE_REPL_* NODE_EXTRA_CA_CERTS NODE_TLS_* NODE_V8_COVERAGE NPM_CONFIG_* YARN_* PNPM_* BUN_* DENO_*
  COREPACK_* ELECTRON_RUN_AS_NODE PYTHON* PIP_* UV_* POETRY_* VIRTUAL_ENV CONDA_* PERL* RUBY* GEM_* BUNDLE_* CARGO_*
  RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS RUSTDOC RUSTDOCFLAGS GOFLAGS GOENV GOPATH GOROOT GOPROXY
  GONOSUMDB GONOSUMCHECK GOTOOLCHAIN CGO_* JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS JAVA_OPTS JAVA_HOME
  CLASSPATH MAVEN_* GRADLE_* LUA_INIT* LUA_PATH* LUA_CPATH* PHPRC PHP_INI_SCAN_DIR TCLLIBPATH R_* JULIA_* CC CXX CPP
  LD AR CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS GNUMAKEFLAGS MFLAGS MAKEFILES GIT_* SSH_* SVN_* HGRCPATH RSYNC_* SUDO_*
  DOAS_* GPG_* GNUPGHOME PINENTRY_* EDITOR VISUAL PAGER *_PAGER MANPAGER MANOPT LESS LESSOPEN LESSCLOSE LESSKEY*
  BROWSER FCEDIT VIMINIT EXINIT VIM VIMRUNTIME GREP_OPTIONS TAR_OPTIONS TAPE ZIPOPT UNZIP GZIP BZIP XZ_* ZSTD_*
  POSIXLY_CORRECT *_PROXY CURL_* WGETRC SYSTEM_WGETRC SSL_* OPENSSL_* REQUESTS_CA_BUNDLE KRB5_* DOCKER_* BUILDAH_*
  CONTAINER_* KUBE* HELM_* AWS_* GOOGLE_APPLICATION_CREDENTIALS CLOUDSDK_* AZURE_* DBUS_* DISPLAY WAYLAND_DISPLAY
  XAUTHORITY TERMINFO* TERMCAP EVANDER_*
`
  .trim()
  .split(/\s+/u);

/** One way for all of them: without regard to case, as `http_proxy` counts as much as `HTTP_PROXY`. */
const PATTERN = new RegExp(`^(?:${DANGEROUS.map((name) => name.replaceAll("*", ".*")).join("|")})$`, "iu");

/** What no variable is called that programs agree on: a function that bash would import is one. */
const NAME = /^[A-Z_a-z][\w]*$/u;

/** Whether this variable must not come from a model, a skill or a workspace, nor be passed on by a setting. */
export const isDangerousName = (name: string): boolean => !NAME.test(name) || PATTERN.test(name);

/** Names of variables whose values are secrets (security §3.13). */
const SECRET =
  /(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|PW|CREDENTIALS?|AUTH|COOKIE|DSN|DATABASE_URL|CONNECTION_STRING)$/iu;

/** By its name, what it holds is a secret; `PWD` and `OLDPWD` are folders. */
export const isSecretName = (name: string): boolean => SECRET.test(name) && !/^(?:OLD)?PWD$/u.test(name);

/** What this environment holds of secrets, by how the variables are called. */
export const secretValuesIn = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env).flatMap(([name, value = ""]) => (isSecretName(name) ? [value.trim()] : []));
