import { enableCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

enableCompileCache()
const { openEmbedded } = await import('./db/embedded.ts')
const { readEnv } = await import('./env.ts')
const { startServer } = await import('./start.ts')

/** How long a start may still take after SIGTERM. */
const START_GRACE_MS = 5_000
/** However much is still under way then, the process ends. */
const END_WITHIN_MS = 45_000

/** env → database → app → listen → drain → close */
async function main(): Promise<void> {
  const env = readEnv(process.env)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Not once: a second Ctrl-C, or npm passing the first one on, must not cut short what is being finished.
  process.on('SIGTERM', () => end())
  process.on('SIGINT', () => end())
  // The starter is gone: nothing is left running.
  process.once('disconnect', () => end())
  ended.then(() => setTimeout(endNow, END_WITHIN_MS).unref())
  const embedded = env.databaseUrl
    ? null
    : await openEmbedded({ dataDir: env.dataDir, log: (line: string) => console.error(line) })
  try {
    const starting = startServer({ env, databaseUrl: env.databaseUrl ?? embedded?.url ?? '' }).catch((error) => {
      throw error.code === 'EADDRINUSE'
        ? new Error(`Port ${env.port} is taken. Stop what uses it, or set PORT to another.`)
        : error
    })
    // A start is let end, so that everything can be closed in order; one that waits for the database is not waited for.
    const server = await Promise.race([starting, ended.then(() => sleep(START_GRACE_MS))])
    if (!server) return
    process.send?.({ type: 'listening', url: server.url }, (error) => {
      // The starter died meanwhile, before its end could be heard here.
      if (error) end()
    })
    const lost = await Promise.race(embedded ? [ended, embedded.lost] : [ended])
    embedded?.announceClosing()
    await server.close()
    if (lost) throw lost
  } finally {
    await embedded?.close()
  }
}

function endNow(): void {
  console.error(`What was under way did not end within ${END_WITHIN_MS / 1000} seconds. Ending now.`)
  process.exit(1)
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message)
    process.exit(1)
  },
)
