import { enableCompileCache } from 'node:module'

enableCompileCache()
const { openEmbedded } = await import('./db/embedded.ts')
const { readEnv } = await import('./env.ts')
const { startServer } = await import('./start.ts')

/** env → database → app → listen → drain → close */
async function main(): Promise<void> {
  const env = readEnv(process.env)
  // Whoever wants us to end while we are still opening is heard as soon as everything is open, and can then be closed in order.
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Not once: a second Ctrl-C, or npm passing the first one on, must not cut short what is being finished.
  process.on('SIGTERM', () => end())
  process.on('SIGINT', () => end())
  // The starter is gone: nothing is left running.
  process.once('disconnect', () => end())
  const embedded = env.databaseUrl
    ? null
    : await openEmbedded({ dataDir: env.dataDir, log: (line: string) => console.error(line) })
  try {
    const server = await startServer({ env, databaseUrl: env.databaseUrl ?? embedded?.url ?? '' }).catch((error) => {
      throw error.code === 'EADDRINUSE'
        ? new Error(`Port ${env.port} is taken. Stop what uses it, or set PORT to another.`)
        : error
    })
    process.send?.({ type: 'listening', url: server.url }, (error) => {
      // The starter died meanwhile, before its end could be heard here.
      if (error) end()
    })
    await ended
    embedded?.announceClosing()
    await server.close()
  } finally {
    await embedded?.close()
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(error.message)
    process.exit(1)
  },
)
