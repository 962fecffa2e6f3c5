import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'

// A repository with one local package, so that npm has work to do but needs no registry.
const lockfile = (version: string) => ({
  name: 'sample',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': { name: 'sample', dependencies: { dep: 'file:dep' } },
    dep: { version },
    'node_modules/dep': { resolved: 'dep', link: true },
  },
})

function repository(): string {
  const root = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const json = (path: string, value: unknown) => writeFileSync(join(root, path), JSON.stringify(value))
  mkdirSync(join(root, 'dev-env'))
  mkdirSync(join(root, 'tools'))
  mkdirSync(join(root, 'dep'))
  copyFileSync(join(import.meta.dirname, 'launch.mjs'), join(root, 'dev-env', 'launch.mjs'))
  json('package.json', { name: 'sample', type: 'module', dependencies: { dep: 'file:dep' } })
  json('dep/package.json', { name: 'dep', version: '1.0.0' })
  json('package-lock.json', lockfile('1.0.0'))
  writeFileSync(
    join(root, 'tools', 'probe.ts'),
    "const args: string[] = process.argv.slice(2)\nconsole.log(args.join(' '), Number(args[1] ?? 0))\nprocess.exitCode = Number(args[1] ?? 0)",
  )
  return root
}

type Outcome = { code: number | null; output: string; errors: string }

async function launch(root: string, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [join(root, 'dev-env', 'launch.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, output, errors }
}

const stampOf = (root: string) => join(root, 'node_modules', '.x-automated-install')

test('installs once, runs the command with its arguments, and returns its exit code', async () => {
  const root = repository()
  const first = await launch(root, 'tools/probe', 'a', '3')
  expect(first).toMatchObject({ code: 3, output: 'a 3 3\n' })
  expect(first.errors).toMatch(/^Installing \d+ packages .*\nInstalled in \d+ s\.\n$/)
  expect(await launch(root, 'tools/probe', 'b', '0')).toEqual({ code: 0, output: 'b 0 0\n', errors: '' })
})

test('installs again after the lockfile changed or an install was interrupted', async () => {
  const root = repository()
  await launch(root, 'tools/probe')
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lockfile('1.0.0'), null, 2))
  rmSync(join(root, 'node_modules', '.package-lock.json'))
  expect((await launch(root, 'tools/probe')).errors).toContain('Installing')
  // npm writes this list last, so it is missing after an interrupted install.
  rmSync(join(root, 'node_modules', '.package-lock.json'))
  rmSync(stampOf(root))
  expect((await launch(root, 'tools/probe')).errors).toContain('Installing')
  expect((await launch(root, 'tools/probe')).errors).toBe('')
})

test('accepts a manual npm install', async () => {
  const root = repository()
  await launch(root, 'tools/probe')
  rmSync(stampOf(root))
  expect((await launch(root, 'tools/probe')).errors).toBe('')
  expect(existsSync(stampOf(root))).toBe(true)
})

test('installs once for two simultaneous launches', async () => {
  const root = repository()
  const both = await Promise.all([launch(root, 'tools/probe', 'a'), launch(root, 'tools/probe', 'b')])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  const logged = both.map(({ errors }) => errors).join('')
  expect(logged.match(/^Installing/gm)).toHaveLength(1)
})

test('reports that npm failed, and runs nothing', async () => {
  const root = repository()
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name: 'sample', dependencies: { other: 'file:other' } }))
  const { code, output, errors } = await launch(root, 'tools/probe')
  expect({ code, output }).toEqual({ code: 1, output: '' })
  expect(errors).toContain('npm could not install the packages (see above).')
})

test('names an unknown script', async () => {
  const root = repository()
  const errors = 'There is no script "tools/missing".\n'
  expect(await launch(root, 'tools/missing')).toMatchObject({ code: 1, errors })
  expect(await launch(root)).toMatchObject({ code: 1 })
  expect(await launch(root, 'tools/../tools/probe')).toMatchObject({ code: 1 })
})

test('finds a file for every script in package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  expect(scripts).toMatchObject({
    start: 'exec node --max-semi-space-size=1 dev-env/launch.mjs dev-env/start',
    test: 'exec node dev-env/launch.mjs tools/test',
  })
  const names = Object.values(scripts).map((script) => /launch\.mjs ([a-z/-]+)$/.exec(script)?.[1] ?? script)
  for (const name of names) expect(existsSync(join(import.meta.dirname, '..', `${name}.ts`)), name).toBe(true)
})
