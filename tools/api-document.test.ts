import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { describeApi } from '../server/src/edges/api-document.ts'
import { root } from './root.ts'

// Checks the API document with other people's tools: a linter and two client generators.

const document = await describeApi()

/** A program that uses both generated clients: openapi-typescript's, and hey-api's for fetch. */
const PROGRAM = `
import { leadsList } from './hey/index.ts'
import type { paths } from './schema.ts'
type Query = NonNullable<paths['/leads']['get']['parameters']['query']>
const query: Query = { rules: JSON.stringify({ match: 'all', rules: [] }), keyword: 'founder' }
export const total = async () => (await leadsList({ query, throwOnError: true })).data.total
`

const OPTIONS = {
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom', 'dom.iterable'],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  types: [],
}

/** Loads hey-api's generator with TypeScript 5. npm installs it next to TypeScript 7, which has no API. */
async function importHeyApi() {
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      next(name, name === 'typescript' ? { ...context, parentURL: import.meta.url } : context),
  })
  const { createClient } = await import('@hey-api/openapi-ts').finally(() => hooks.deregister())
  return createClient
}

test('has no problem that Redocly’s recommended rules find', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    // We have no license, redirects return no 2xx, and a lead's id is never "removals".
    rules: { 'info-license': 'off', 'operation-2xx-response': 'off', 'no-ambiguous-paths': 'off' },
  })
  const problems = await lintFromString({ source: document, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

test('generates clients that type-check, by openapi-typescript and by hey-api', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'x-automated-generated-'))
  try {
    const createClient = await importHeyApi()
    const input = JSON.parse(document)
    await writeFile(join(folder, 'schema.ts'), astToString(await openapiTS(structuredClone(input))))
    const logs = { level: 'silent', file: false } as const
    await createClient({ input, output: { path: join(folder, 'hey') }, logs })
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }))
    const tsc = join(root, 'node_modules', '.bin', 'tsc')
    const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch((error) => error)
    expect(stdout).toBe('')
  } finally {
    await rm(folder, { recursive: true })
  }
})
