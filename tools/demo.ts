import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readPrivateJson, writePrivate } from '../server/src/data-dir.ts'

export type DemoAccount = { email: string; password: string }

/** What tools/seed.ts is given: the running product and its stand-ins, all local. */
export type SeedOptions = {
  dataDir: string
  databaseUrl: string
  /** Where the product listens. */
  url: string
  x: string
  mailbox: string
  say(line: string): void
}

/** `export const seed: Seed` of tools/seed.ts. Run again after it was killed half-way, it completes what is there. */
export type Seed = (options: SeedOptions) => Promise<DemoAccount>

/** The demo account of this DATA_DIR, made on the first start. None where there is no seed. */
export async function demoAccount(options: SeedOptions): Promise<DemoAccount | undefined> {
  const file = join(options.dataDir, 'demo.json')
  const known = readPrivateJson(file, isDemoAccount, 'Delete it, and the demo account is made again.')
  if (known) return known
  const script = join(import.meta.dirname, 'seed.ts')
  if (!existsSync(script)) return undefined
  options.say('Making the demo account…')
  const { seed } = (await import(script)) as { seed: Seed }
  const account = await seed(options)
  writePrivate(file, `${JSON.stringify(account, null, 2)}\n`)
  return account
}

function isDemoAccount(value: unknown): value is DemoAccount {
  const { email, password } = (value ?? {}) as Partial<DemoAccount>
  return typeof email === 'string' && typeof password === 'string'
}
