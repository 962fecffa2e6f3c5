import { resolve } from 'node:path'
import { backUp } from './archive-database.ts'
import { findSecret, openedDatabase } from './archive-places.ts'

/** `npm run backup FILE`: one archive of the database and the keys. The product may run meanwhile. */
const [name, ...others] = process.argv.slice(2)
if (!name || others.length > 0) {
  console.error('Say where to: npm run backup FILE')
  process.exit(2)
}
const since = performance.now()
const file = resolve(process.env.INIT_CWD ?? '.', name)
try {
  const authSecret = findSecret(process.env)
  if (!authSecret) throw new Error('There is nothing to back up: no AUTH_SECRET, and none in DATA_DIR.')
  const database = await openedDatabase(process.env, 'beside a server')
  try {
    const { bytes, tables } = await backUp(database.url, { file, authSecret })
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    console.log(`Backed up ${tables} tables into ${file} (${(bytes / 2 ** 20).toFixed(1)} MB) in ${seconds} s.`)
    console.log('Keep it where nobody else reads it: it holds everything, and the key that opens it.')
  } finally {
    await database.close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
