import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { runQuietly } from './programs.ts'

type Say = (line: string) => void

/**
 * Returns the path of a working Chromium: CHROMIUM_PATH, one on PATH, Debian's (installed if allowed),
 * or Playwright's.
 * @throws Error that says what to install
 */
export async function findBrowser(say: Say): Promise<string> {
  if (process.env.CHROMIUM_PATH) {
    if (runs(process.env.CHROMIUM_PATH)) return process.env.CHROMIUM_PATH
    throw new Error(`CHROMIUM_PATH ${process.env.CHROMIUM_PATH} is not a working browser.`)
  }
  const installed = findOnPath()
  if (installed) return installed
  await installWithApt(['chromium', 'chromium-headless-shell'], say)
  const browser = findOnPath() ?? fromPlaywright().find(runs)
  if (browser) return browser
  throw new Error(
    'The journeys need a browser. Install Chromium (on Debian, as root: apt-get install chromium fonts-liberation), ' +
      'or set CHROMIUM_PATH to a Chromium or Chrome, and run this again.',
  )
}

/**
 * Returns Debian's headless shell (installed if we are root), which needs half the processor time
 * but has no extensions; otherwise the given browser.
 */
export async function findHeadlessShell(browser: string, say: Say): Promise<string> {
  const shell = join(dirname(browser), 'chromium-headless-shell')
  if (!existsSync(shell) && browser === '/usr/bin/chromium' && process.getuid?.() === 0)
    await installWithApt(['chromium-headless-shell'], say)
  return existsSync(shell) && runs(shell) ? shell : browser
}

/** Debian packages for `npm test -- browsers`: Firefox, and WebKitGTK in a window on a virtual screen. */
const otherBrowsers = ['firefox-esr', 'webkit2gtk-driver', 'gir1.2-webkit2-4.1', 'gjs', 'xvfb']

/** Installs Debian's Firefox and WebKitGTK if they are missing. @throws Error that says what to install */
export async function installOtherBrowsers(say: Say): Promise<void> {
  if (areInstalled(otherBrowsers)) return
  await installWithApt(otherBrowsers, say)
  if (areInstalled(otherBrowsers)) return
  throw new Error(
    'These tests need Firefox and WebKitGTK. Install them on Debian, as root, and run this again: ' +
      `apt-get install --no-install-recommends ${otherBrowsers.join(' ')}`,
  )
}

function areInstalled(packages: readonly string[]): boolean {
  const { stdout } = spawnSync('dpkg-query', ['--list', ...packages], { encoding: 'utf8' })
  return stdout?.split('\n').filter((line) => line.startsWith('ii ')).length === packages.length
}

function runs(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0
}

function findOnPath(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/local/bin'].filter(Boolean)
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return candidates.find((path) => existsSync(path) && runs(path))
}

/** Installs Debian packages if apt-get works without a password. Logs failures. */
async function installWithApt(packages: readonly string[], say: Say): Promise<void> {
  if (!existsSync('/usr/bin/apt-get')) return
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (asRoot.length > 0 && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) return
  say(`Installing Debian's ${packages.join(', ')} (a minute or two)…`)
  const apt = [
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-o',
    'DPkg::Lock::Timeout=300',
    '-o',
    'Acquire::http::Timeout=20',
    '-qq',
  ]
  const [program = 'env', ...args] = [...asRoot, ...apt]
  try {
    await runQuietly(program, [...args, 'update'], { doing: 'Reading the lists of packages' })
    // Chromium does not start without a font, but only recommends its font packages.
    const fonts = ['fonts-liberation', 'fonts-noto-color-emoji']
    await runQuietly(program, [...args, 'install', '-y', '--no-install-recommends', ...packages, ...fonts], {
      doing: `Installing ${packages[0]}`,
    })
  } catch (error) {
    say(`apt-get could not install it:\n${(error as Error).message.trim()}`)
  }
}

function fromPlaywright(): string[] {
  const folder = process.env.PLAYWRIGHT_BROWSERS_PATH || join(homedir(), '.cache', 'ms-playwright')
  if (!existsSync(folder)) return []
  const versions = readdirSync(folder).filter((name) => name.startsWith('chromium'))
  return versions
    .sort()
    .reverse()
    .flatMap((version) =>
      ['chrome-linux64/chrome', 'chrome-linux/chrome', 'chrome-linux/headless_shell'].map((path) =>
        join(folder, version, path),
      ),
    )
    .filter((path) => existsSync(path))
}
