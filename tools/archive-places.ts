import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DataDirBusy, openDataDir, writePrivate } from '../server/src/data-dir.ts'
import { embeddedUrl, openEmbedded } from '../server/src/db/embedded.ts'

/** What of the environment says where the database and the keys are. */
type Environment = NodeJS.ProcessEnv

const say = (line: string) => console.log(line)

/**
 * The database of the environment: DATABASE_URL, or the bundled one of DATA_DIR, which is started where it does not run.
 * `close` stops what was started here.
 * @param how `alone` where a server that holds DATA_DIR is in the way
 * @throws DataDirBusy
 */
export async function openedDatabase(
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

/** AUTH_SECRET, or what DATA_DIR holds in its place; null where there is neither. */
export function findSecret(env: Environment): string | null {
  if (env.AUTH_SECRET) return env.AUTH_SECRET
  const path = secretFile(env)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}

/** Keeps a secret in DATA_DIR, for servers that get none from their environment. */
export function keepSecret(env: Environment, secret: string): void {
  openDataDir(dataDirOf(env))
  writePrivate(secretFile(env), `${secret}\n`)
}
