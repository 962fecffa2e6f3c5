import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { findBrowser, findHeadlessShell, installOtherBrowsers } from './browser.ts'

afterEach(() => vi.unstubAllEnvs())

/** Creates a program that exits with this code. */
function program(name: string, exitCode: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\nexit ${exitCode}\n`)
  chmodSync(path, 0o755)
  return path
}

test('prefers CHROMIUM_PATH', async () => {
  const path = program('my-browser', 0)
  vi.stubEnv('CHROMIUM_PATH', path)
  expect(await findBrowser(() => {})).toBe(path)
})

test('rejects a CHROMIUM_PATH that does not work, and uses no other', async () => {
  const path = program('my-browser', 1)
  vi.stubEnv('CHROMIUM_PATH', path)
  await expect(findBrowser(() => {})).rejects.toThrow(`CHROMIUM_PATH ${path} is not a working browser.`)
})

test('uses the first working browser on PATH', async () => {
  vi.stubEnv('CHROMIUM_PATH', '')
  const broken = program('chromium', 1)
  const working = program('chromium', 0)
  vi.stubEnv('PATH', `${[broken, working].map((path) => join(path, '..')).join(':')}:${process.env.PATH}`)
  expect(await findBrowser(() => {})).toBe(working)
})

test('prefers the headless shell beside a browser, if it works', async () => {
  const browser = program('chromium', 0)
  expect(await findHeadlessShell(browser, () => {})).toBe(browser)
  const shell = join(browser, '..', 'chromium-headless-shell')
  writeFileSync(shell, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  expect(await findHeadlessShell(browser, () => {})).toBe(browser)
  writeFileSync(shell, '#!/bin/sh\nexit 0\n')
  expect(await findHeadlessShell(browser, () => {})).toBe(shell)
})

test('names the packages of the other browsers if it cannot install them', async () => {
  // Neither dpkg nor apt-get can be found.
  vi.stubEnv('PATH', '')
  await expect(installOtherBrowsers(() => {})).rejects.toThrow(/as root.*install.* firefox-esr webkit2gtk-driver /)
})
