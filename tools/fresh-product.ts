import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './root.ts'

const START_MS = 180_000

export interface FreshProduct {
  origin: string
  demo: { email: string; password: string }
  /** Stops the product and deletes its data. */
  close(): Promise<void>
}

/**
 * Runs `npm start` on a free port with its own data.
 * @param env added to this process's environment
 * @throws Error if it does not start
 */
export async function openFreshProduct(env: Record<string, string> = {}): Promise<FreshProduct> {
  const dataDir = mkdtempSync(join(tmpdir(), 'x-automated-fresh-'))
  const port = await freePort()
  const product = spawn(process.execPath, [join(root, 'dev-env', 'launch.mjs'), 'dev-env/start'], {
    cwd: root,
    env: { ...process.env, ...env, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const close = async () => {
    if (product.exitCode === null) {
      const exit = once(product, 'exit')
      product.kill('SIGTERM')
      await exit
    }
    rmSync(dataDir, { recursive: true, force: true })
  }
  const file = join(dataDir, 'demo.json')
  for (const end = Date.now() + START_MS; Date.now() < end && product.exitCode === null; await sleep(200)) {
    if (!existsSync(file)) continue
    const demo = JSON.parse(readFileSync(file, 'utf8')) as FreshProduct['demo']
    return { origin: `http://localhost:${port}`, demo, close }
  }
  await close()
  throw new Error('The product did not start.')
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
