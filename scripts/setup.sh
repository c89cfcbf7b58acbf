# Set-up steps that quickstart and check share: each installs what is missing and says nothing when it is there.
# Sourced with `root` set to the repository; needs bash, runs as root or not.

stamp="$root/node_modules/.cache/hiera/python"

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }
# Runs a command without its output; where it fails, shows the log's head and tail, where npm, and where pip and apt, say why.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then rm -f "$log"; return 0; fi
  if [ "$(grep -c '' "$log")" -le 16 ]; then cat "$log" >&2; else { head -n 8 "$log"; echo …; tail -n 8 "$log"; } >&2; fi
  rm -f "$log"
  return 1
}

# ---- Node

need_node() {
  command -v node >/dev/null && command -v npm >/dev/null || die "Node.js and npm are missing: install Node.js 20.19 or newer from https://nodejs.org"
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    die "Node.js $(node --version) is too old: 20.19 or newer is needed, from https://nodejs.org"
}

# npm writes node_modules/.package-lock.json last, so its age is the age of a finished install.
need_modules() {
  local done_file="$root/node_modules/.package-lock.json"
  [ -e "$done_file" ] && [ ! "$root/package-lock.json" -nt "$done_file" ] && return
  say "installing the Node packages"
  (cd "$root" && quietly npm ci --no-audit --no-fund) || die "npm ci failed (in $root)"
}

# Cleared first: a file removed from src must not live on in dist.
need_build() {
  local built="$root/dist/cli/main.js"
  [ -e "$built" ] && [ -z "$(find "$root/src" "$root/package.json" "$root"/tsconfig*.json -newer "$built" -print -quit)" ] && return
  say "building"
  rm -rf "$root/dist"
  (cd "$root" && quietly npm run --silent build) || die "the build failed (npm run build)"
}

# ---- Debian packages

# Prints the prefix under which apt-get may be used without asking; fails where it may not.
apt_prefix() {
  command -v apt-get >/dev/null || return 1
  [ "$(id -u)" = 0 ] && return 0
  command -v sudo >/dev/null && sudo -n true 2>/dev/null && echo "sudo -n"
}

apt_install() {
  local prefix
  prefix=$(apt_prefix) || return 1
  say "apt-get install $*"
  if [ -z "${apt_updated:-}" ]; then
    quietly $prefix apt-get -o DPkg::Lock::Timeout=120 update || return 1
    apt_updated=yes
  fi
  quietly $prefix env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"
}

need_compiler() {
  command -v g++ >/dev/null && return
  apt_install g++ && return
  die "g++ is missing, and nothing can be compiled without it: sudo apt-get install g++"
}

has_blas() { printf '#include <cblas.h>\n' | g++ -fsyntax-only -x c++ - 2>/dev/null; }

# Optional: without it the space libraries has no BLAS.
need_blas() {
  has_blas && return
  apt_install libopenblas-dev && has_blas && return
  say "OpenBLAS is missing, so candidates cannot call a BLAS: sudo apt-get install libopenblas-dev"
}

# ---- Python with torch

imports_torch() { [ -x "$1" ] && "$1" -c 'import torch' </dev/null >/dev/null 2>&1; }

# Looks torch up without importing it: milliseconds, for a Python that imported it once.
still_has_torch() { [ -x "$1" ] && "$1" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)' 2>/dev/null; }

# Where a Python may be, in order of preference, one a line; the same order as src/devices/python.ts.
pythons() {
  { echo "$root/.venv/bin/python"; type -ap python3 || true; echo /usr/local/bin/python3; echo /usr/bin/python3; } | awk '!seen[$0]++'
}

find_python() {
  local p
  while read -r p; do imports_torch "$p" && { echo "$p"; return; }; done < <(pythons)
  return 1
}

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L >/dev/null 2>&1; }

pip_torch() { quietly "$root/.venv/bin/python" -m pip install --retries 1 --timeout 15 "$@" torch; }

# PyTorch's own index has wheels for the CPU alone, a tenth the size; where it cannot be reached, pip's usual index has torch too.
venv_torch() {
  command -v python3 >/dev/null || return 1
  say "installing torch with pip into .venv (a few minutes)"
  quietly python3 -m venv --clear "$root/.venv" || { rm -rf "$root/.venv"; return 1; }
  if ! has_gpu && pip_torch --index-url https://download.pytorch.org/whl/cpu 2>/dev/null || pip_torch; then
    imports_torch "$root/.venv/bin/python" && return
  fi
  rm -rf "$root/.venv"
  return 1
}

# Sets and exports HIERA_PYTHON: the user's own, else the first found, else one installed here.
need_python() {
  if [ -n "${HIERA_PYTHON:-}" ]; then
    imports_torch "$(command -v "$HIERA_PYTHON" || true)" || die "HIERA_PYTHON=$HIERA_PYTHON cannot import torch: install torch there, or unset HIERA_PYTHON"
    return
  fi
  local found=""
  [ -e "$stamp" ] && found=$(cat "$stamp") && still_has_torch "$found" || found=$(find_python) || {
    say "no python3 here imports torch"
    venv_torch 2>/dev/null || { say "pip could not install it; trying Debian's package"; apt_install python3-torch; } || true
    found=$(find_python) || die "torch is missing: run  python3 -m venv $root/.venv && $root/.venv/bin/pip install torch  or  sudo apt-get install python3-torch"
    say "torch is in $found"
  }
  mkdir -p "$(dirname "$stamp")"
  printf '%s\n' "$found" >"$stamp"
  export HIERA_PYTHON="$found"
}
