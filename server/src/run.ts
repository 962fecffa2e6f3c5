import { setTimeout as sleep } from 'node:timers/promises'
import { readEnv } from './env.ts'
import { startServer } from './start.ts'

/** How long a start may continue after SIGTERM. */
const START_GRACE_MS = 5_000
/** Hard limit for shutting down after SIGTERM. */
const END_WITHIN_MS = 45_000

/** A database that lives as long as this process. */
interface OwnDatabase {
  url: string
  /** Resolves with the reason once the database has stopped and cannot be restarted. */
  lost: Promise<Error>
  /** Call it when the shutdown begins. */
  announceClosing(): void
  close(): Promise<void>
}

type OpenOwnDatabase = (dataDir: string) => Promise<OwnDatabase>

/** Runs the server as `serve` does, then exits the process. */
export function runServer(variables: NodeJS.ProcessEnv, openOwnDatabase?: OpenOwnDatabase): void {
  serve(variables, openOwnDatabase).then(
    () => process.exit(0),
    ({ message, cause }: Error) => {
      // A failed query's cause says why.
      console.error(cause instanceof Error ? `${message}\n${cause.message}` : message)
      process.exit(1)
    },
  )
}

/**
 * Serves until a signal, the end of the parent process or the loss of the database: env → database
 * → app → listen → drain → close. Without DATABASE_URL it uses the database that `openOwnDatabase`
 * opens.
 */
export async function serve(variables: NodeJS.ProcessEnv, openOwnDatabase?: OpenOwnDatabase): Promise<void> {
  const env = readEnv(variables)
  if (!env.databaseUrl && !openOwnDatabase)
    throw new Error('DATABASE_URL is required. Only `npm start` brings its own database.')
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Not `once`: a second Ctrl-C, or npm forwarding the first, must not interrupt the shutdown.
  process.on('SIGTERM', () => end())
  process.on('SIGINT', () => end())
  // The parent process is gone: do not outlive it.
  process.once('disconnect', () => end())
  ended.then(() => setTimeout(endNow, END_WITHIN_MS).unref())
  const own = env.databaseUrl ? undefined : await openOwnDatabase?.(env.dataDir)
  try {
    const starting = startServer({ env, databaseUrl: env.databaseUrl ?? own?.url ?? '' }).catch((error) => {
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
    const lost = await Promise.race(own ? [ended, own.lost] : [ended])
    own?.announceClosing()
    await server.close()
    if (lost) throw lost
  } finally {
    await own?.close()
  }
}

function endNow(): void {
  console.error(`Shutdown took longer than ${END_WITHIN_MS / 1000} seconds. Exiting now.`)
  process.exit(1)
}
