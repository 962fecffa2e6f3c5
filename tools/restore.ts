import { resolve } from 'node:path'
import { checkArchive } from './archive.ts'
import { NotRestored, restore } from './archive-database.ts'
import { findSecret, keepSecret, openedDatabase } from './archive-places.ts'

/**
 * `npm run restore FILE`: takes back what `npm run backup` made, while no server runs.
 * Where there is data already only with `-- --overwrite`: all of it is then replaced, and the secret in DATA_DIR too.
 */
const args = process.argv.slice(2)
const overwrite = args.includes('--overwrite')
const [name, ...others] = args.filter((arg) => arg !== '--overwrite')
if (!name || others.length > 0) {
  console.error('Say which archive: npm run restore FILE, or npm run restore FILE -- --overwrite')
  process.exit(2)
}
const { env } = process
const since = performance.now()
const file = resolve(env.INIT_CWD ?? '.', name)
try {
  const head = await checkArchive(file)
  const secret = findSecret(env)
  if (env.AUTH_SECRET && env.AUTH_SECRET !== head.authSecret)
    throw new NotRestored(
      'AUTH_SECRET is not the one that the archive was made with, and would open nothing of it. ' +
        'Run this without AUTH_SECRET: the right one is then kept in DATA_DIR, in auth-secret.',
    )
  if (secret && secret !== head.authSecret && !overwrite)
    throw new NotRestored(
      'DATA_DIR holds another secret than the archive. Add --overwrite to replace it, and all data, by what the archive holds.',
    )
  const database = await openedDatabase(env, 'alone')
  try {
    const { tables, rows } = await restore(database.url, { file, head, overwrite })
    if (!env.AUTH_SECRET) keepSecret(env, head.authSecret)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    const count = rows.toLocaleString('en-US')
    console.log(`Took back ${count} rows of ${tables} tables, as they were at ${head.madeAt}, in ${seconds} s.`)
  } finally {
    await database.close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
