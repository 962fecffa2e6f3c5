import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { RELEASE } from '@x-automated/contract/platform/early-features'
import { expect, test } from 'vitest'
import { root } from './root.ts'

const run = promisify(execFile)

/** Returns the names of all direct and indirect dependencies of a package, which npm would install with it. */
async function dependenciesOf(folder: string, collected = new Set<string>()): Promise<Set<string>> {
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    if (collected.has(name)) continue
    await dependenciesOf(join(root, 'node_modules', name), collected.add(name))
  }
  return collected
}

const PROGRAM = `
import { createApiClient, safe } from '@x-automated/client'
declare const process: { argv: string[] }
const client = createApiClient({ origin: process.argv[2] as string, apiKey: 'xa_live_1' })
const { tags } = await client.tags.list()
const { error } = await safe(client.leads.list({ keyword: 'founder' }))
console.log(tags[0]?.name, error?.message)
// @ts-expect-error: a keyword is a text
void (() => client.leads.list({ keyword: 3 }))
`

test('packs a typed client that works outside of the repository', { timeout: 180_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'x-automated-client-test-'))
  const calls: string[] = []
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    const isTags = request.url === '/api/tags'
    response.writeHead(isTags ? 200 : 403, { 'content-type': 'application/json' })
    const tag = { id: '1', name: 'VIP', color: 'blue', leadCount: 1 }
    response.end(JSON.stringify(isTags ? { tags: [tag] } : { success: false, error: 'Not yours.', code: 'FORBIDDEN' }))
  }).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    await run(process.execPath, [join(root, 'tools', 'pack-client.ts')], { env: { ...process.env, INIT_CWD: folder } })
    const installed = join(folder, 'node_modules', '@x-automated', 'client')
    await mkdir(installed, { recursive: true })
    await run('tar', [
      '-xzf',
      join(folder, `x-automated-client-${RELEASE}.tgz`),
      '--strip-components=1',
      '-C',
      installed,
    ])
    for (const name of await dependenciesOf(installed)) {
      await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    }

    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'program.ts'), PROGRAM)
    const options = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--preserveSymlinks', '--types', '']
    await run(join(root, 'node_modules', '.bin', 'tsc'), [...options, 'program.ts'], { cwd: folder })
    const { port } = server.address() as AddressInfo
    const { stdout } = await run(process.execPath, ['program.js', `http://127.0.0.1:${port}`], { cwd: folder })
    expect(stdout).toBe('VIP Not yours.\n')
    expect(calls).toEqual(['GET /api/tags Bearer xa_live_1', 'GET /api/leads?keyword=founder Bearer xa_live_1'])
  } finally {
    server.close()
    await rm(folder, { recursive: true })
  }
})
