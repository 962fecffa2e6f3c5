import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RELEASE } from '@x-automated/contract/platform/early-features'
import { expect, test } from 'vitest'
import { root } from './root.ts'

type Manifest = {
  version?: string
  workspaces?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = (folder: string) => JSON.parse(read(join(folder, 'package.json'))) as Manifest
const lock = JSON.parse(read('package-lock.json')) as Manifest & { packages: Record<string, Manifest> }
const folders = ['', ...(manifest('').workspaces ?? [])]

test.each(folders.map((folder) => [folder]))('package.json and the lock file of "%s" have the release', (folder) => {
  for (const { version, dependencies, devDependencies } of [manifest(folder), lock.packages[folder] ?? {}]) {
    expect(version).toBe(RELEASE)
    const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
      name.startsWith('@x-automated/'),
    )
    expect(ours).toEqual(ours.map(([name]) => [name, RELEASE]))
  }
})

test('package-lock.json has the release and no address of a registry', () => {
  expect(lock.version).toBe(RELEASE)
  expect(read('package-lock.json')).not.toMatch(/"resolved": "[a-z+]+:/)
})

test('CHANGELOG.md describes the release below what is unreleased', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (\S+)/gm)].map(([, heading]) => heading)
  expect(headings.slice(0, 2)).toEqual(['Unreleased', RELEASE])
})
