import { enableCompileCache } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

enableCompileCache()
const { openEmbedded } = await import('./db/embedded.ts')
const { readEnv } = await import('./env.ts')
const { startServer } = await import('./start.ts')

/** How long a start may continue after SIGTERM. */
const START_GRACE_MS = 5_000
/** Hard limit for shutting down after SIGTERM. */
const END_WITHIN_MS = 45_000

/** env → database → app → listen → drain → close */
async function main(): Promise<void> {
  const env = readEnv(process.env)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Not `once`: a second Ctrl-C, or npm forwarding the first, must not interrupt the shutdown.
  process.on('SIGTERM', () => end())
  process.on('SIGINT', () => end())
  // The parent process is gone: do not outlive it.
  process.once('disconnect', () => end())
  ended.then(() => setTimeout(endNow, END_WITHIN_MS).unref())
  const embedded = env.databaseUrl
    ? null
    : await openEmbedded({ dataDir: env.dataDir, log: (line: string) => console.error(line) })
  try {
    const starting = startServer({ env, databaseUrl: env.databaseUrl ?? embedded?.url ?? '' }).catch((error) => {
      throw error.code === 'EADDRINUSE'
        ? new Error(`Port ${env.port} is in use. Stop the program that uses it, or set PORT to another port.`)
        : error
    })
    // Let a start finish so that everything closes in order, unless it waits for the database.
    const server = await Promise.race([starting, ended.then(() => sleep(START_GRACE_MS))])
    if (!server) return
    process.send?.({ type: 'listening', url: server.url }, (error) => {
      // The parent died before its disconnect was noticed.
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
  console.error(`Shutdown took longer than ${END_WITHIN_MS / 1000} seconds. Exiting now.`)
  process.exit(1)
}

main().then(
  () => process.exit(0),
  ({ message, cause }: Error) => {
    // A failed query's cause says why.
    console.error(cause instanceof Error ? `${message}\n${cause.message}` : message)
    process.exit(1)
  },
)
