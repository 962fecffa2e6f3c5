import { resolve } from 'node:path'
import { checkArchive } from './archive.ts'
import { NotRestored, type Restored, restore } from './archive-database.ts'
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
    const restored = await restore(database.url, { file, head, overwrite })
    if (!env.AUTH_SECRET) keepSecret(env, head.authSecret)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    const count = counted(restored.rows, 'row', 'rows')
    console.log(`Restored ${count} of ${restored.tables} tables, as they were at ${head.madeAt}, in ${seconds} s.`)
    for (const line of afterwards(restored)) console.log(line)
  } finally {
    await database.close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`
}

/** What the operator has to know before the next start. */
function afterwards({ paused, toBeRead, unknown, emails }: Restored): string[] {
  return [
    `Paused ${counted(paused, 'active campaign', 'active campaigns')}. No X account sends until X-Automated has read from X what it sent after the backup.`,
    ...(toBeRead > 0
      ? [
          `${counted(toBeRead, 'queued message', 'queued messages')} may have been sent after the backup. What X has is marked as sent; only the rest goes out.`,
        ]
      : []),
    ...(unknown > 0
      ? [
          `${counted(unknown, 'queued message', 'queued messages')} cannot be looked up, as no X account is connected: marked as failed. Check each conversation before you queue it again.`,
        ]
      : []),
    ...(emails > 0
      ? [`Dropped ${counted(emails, 'waiting email', 'waiting emails')} to avoid sending them twice.`]
      : []),
    'Next: start X-Automated, check the campaigns, and resume them.',
  ]
}
