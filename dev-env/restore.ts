import { resolve } from 'node:path'
import { formatCount } from '@x-automated/contract/format'
import { checkArchive } from './archive.ts'
import { NotRestored, type Restored, restore } from './archive-database.ts'
import { findSecret, openConfiguredDatabase, saveSecret } from './archive-places.ts'

// `npm run restore FILE` restores a backup while no server runs. `-- --overwrite` replaces existing
// data and the secret in DATA_DIR.

const args = process.argv.slice(2)
const overwrite = args.includes('--overwrite')
const [name, ...others] = args.filter((arg) => arg !== '--overwrite')
if (!name || others.length > 0) {
  console.error('Name the archive: npm run restore FILE, or npm run restore FILE -- --overwrite')
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
      'The archive was made with a different AUTH_SECRET, so this one cannot decrypt it. ' +
        'Run this without AUTH_SECRET: the right one is then saved in DATA_DIR, in auth-secret.',
    )
  if (secret && secret !== head.authSecret && !overwrite)
    throw new NotRestored(
      'DATA_DIR has a different secret. Add --overwrite to replace it and all data with the archive.',
    )
  const database = await openConfiguredDatabase(env, 'alone')
  try {
    const restored = await restore(database.url, { file, head, overwrite })
    if (!env.AUTH_SECRET) saveSecret(env, head.authSecret)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    const rows = formatCount(restored.rows, 'row')
    console.log(`Restored ${rows} of ${restored.tables} tables as of ${head.madeAt} in ${seconds} s.`)
    for (const line of nextSteps(restored)) console.log(line)
  } finally {
    await database.close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}

/** Returns what the operator should know before the next start, in sentences. */
function nextSteps({ paused, toBeRead, unknown, emails }: Restored): string[] {
  return [
    `Paused ${formatCount(paused, 'active campaign')}. No X account sends anything until X-Automated has read from X what was sent after the backup.`,
    ...(toBeRead > 0
      ? [
          `${formatCount(toBeRead, 'queued message')} may have been sent after the backup. Those found on X will be marked as sent; only the rest go out.`,
        ]
      : []),
    ...(unknown > 0
      ? [
          `${formatCount(unknown, 'queued message')} cannot be checked without a connected X account and were marked as failed. Check each conversation before you retry.`,
        ]
      : []),
    ...(emails > 0 ? [`Dropped ${formatCount(emails, 'queued email')} to avoid sending them twice.`] : []),
    'Next: start X-Automated, check the campaigns and resume them.',
  ]
}
