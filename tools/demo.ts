import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivateJson, writePrivate } from '../server/src/data-dir.ts'

export type DemoAccount = { email: string; password: string }

/** The running product and its stand-ins, all local. */
export type SeedOptions = {
  dataDir: string
  databaseUrl: string
  /** The product's address. */
  url: string
  x: string
  mailbox: string
  say(line: string): void
}

/** The type of `seed` in tools/seed.ts. After a kill, running it again completes the data. */
export type Seed = (options: SeedOptions) => Promise<DemoAccount>

/** The demo account of this DATA_DIR, created on the first start. Undefined without a seed. */
export async function demoAccount(options: SeedOptions): Promise<DemoAccount | undefined> {
  const file = join(options.dataDir, 'demo.json')
  const known = readPrivateJson(file, isDemoAccount, 'Delete it to create the demo account again.')
  if (known) return known
  const script = join(import.meta.dirname, 'seed.ts')
  if (!existsSync(script)) return undefined
  options.say('Creating the demo account…')
  const { seed } = (await import(script)) as { seed: Seed }
  const account = await seed(options)
  writePrivate(file, `${JSON.stringify(account, null, 2)}\n`)
  return account
}

function isDemoAccount(value: unknown): value is DemoAccount {
  const { email, password } = (value ?? {}) as Partial<DemoAccount>
  return typeof email === 'string' && typeof password === 'string'
}
