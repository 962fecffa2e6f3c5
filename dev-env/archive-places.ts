import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openDataDir, writePrivate } from '../server/src/data-dir.ts'
import { DataDirBusy } from './database/data-dir-lock.ts'
import { embeddedUrl, openEmbedded } from './database/embedded.ts'

type Environment = NodeJS.ProcessEnv

const say = (line: string) => console.log(line)

/**
 * Opens DATABASE_URL, or the bundled database, and starts the latter if necessary.
 * @throws DataDirBusy if `alone` and a server uses DATA_DIR
 */
export async function openConfiguredDatabase(
  env: Environment,
  how: 'alone' | 'beside a server',
): Promise<{ url: string; close(): Promise<void> }> {
  if (env.DATABASE_URL) return { url: env.DATABASE_URL, close: async () => {} }
  const dataDir = dataDirOf(env)
  try {
    return await openEmbedded({ dataDir: openDataDir(dataDir), log: say })
  } catch (error) {
    if (!(error instanceof DataDirBusy) || how === 'alone') throw error
    return { url: embeddedUrl(dataDir), close: async () => {} }
  }
}

function dataDirOf(env: Environment): string {
  return resolve(env.DATA_DIR || '.data')
}

const secretFile = (env: Environment) => join(dataDirOf(env), 'auth-secret')

/** Returns AUTH_SECRET or else the secret in DATA_DIR; null if there is none. */
export function findSecret(env: Environment): string | null {
  if (env.AUTH_SECRET) return env.AUTH_SECRET
  const path = secretFile(env)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}

/** Saves a secret in DATA_DIR, for servers without AUTH_SECRET. */
export function saveSecret(env: Environment, secret: string): void {
  openDataDir(dataDirOf(env))
  writePrivate(secretFile(env), `${secret}\n`)
}
