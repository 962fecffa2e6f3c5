import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { readPrivateJson, writePrivate } from '../server/src/data-dir.ts'

export type DemoAccount = { email: string; password: string }

/** A running product and its stand-ins. */
type SeedOptions = {
  dataDir: string
  databaseUrl: string
  url: string
  x: string
  mailbox: string
  say(line: string): void
}

/** The message that dev-env/seed.ts receives. */
export type SeedMessage = Omit<SeedOptions, 'say'>

/** Returns the demo account of this DATA_DIR, and creates it on the first start. */
export async function demoAccount({ say, ...options }: SeedOptions): Promise<DemoAccount> {
  const file = join(options.dataDir, 'demo.json')
  const stored = readPrivateJson(file, isDemoAccount, 'Delete it to create the demo account again.')
  if (stored) return stored
  say('Creating the demo account…')
  const account = await runSeed(options)
  writePrivate(file, `${JSON.stringify(account, null, 2)}\n`)
  return account
}

/** Runs seed.ts in a separate process, because the memory of its modules would never be freed here. */
async function runSeed(message: SeedMessage): Promise<DemoAccount> {
  const child = fork(join(import.meta.dirname, 'seed.ts'))
  child.send(message)
  let account: unknown
  child.once('message', (reply) => {
    account = reply
  })
  const [code, signal] = await once(child, 'exit')
  if (!isDemoAccount(account)) throw new Error(`dev-env/seed.ts ended with ${code ?? signal}`)
  return account
}

function isDemoAccount(value: unknown): value is DemoAccount {
  const { email, password } = (value ?? {}) as Partial<DemoAccount>
  return typeof email === 'string' && typeof password === 'string'
}
