import { resolve } from 'node:path'
import { backUp } from './archive-database.ts'
import { findSecret, openConfiguredDatabase } from './archive-places.ts'

// `npm run backup FILE` archives the database and AUTH_SECRET. The product may be running.

const [name, ...others] = process.argv.slice(2)
if (!name || others.length > 0) {
  console.error('Name the archive: npm run backup FILE')
  process.exit(2)
}
const since = performance.now()
const file = resolve(process.env.INIT_CWD ?? '.', name)
try {
  const authSecret = findSecret(process.env)
  if (!authSecret) throw new Error('Nothing to back up: AUTH_SECRET is not set, and DATA_DIR has none.')
  const database = await openConfiguredDatabase(process.env, 'beside a server')
  try {
    const { bytes, tables } = await backUp(database.url, { file, authSecret })
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    console.log(`Backed up ${tables} tables into ${file} (${(bytes / 2 ** 20).toFixed(1)} MB) in ${seconds} s.`)
    console.log('Keep it safe: it contains all data and the key that decrypts it.')
  } finally {
    await database.close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
