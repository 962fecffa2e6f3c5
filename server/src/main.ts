import { enableCompileCache } from 'node:module'

enableCompileCache()
const { openEmbedded } = await import('./db/embedded.ts')
const { readEnv } = await import('./env.ts')
const { startServer } = await import('./start.ts')

/** env → database → app → listen → drain → close */
async function main(): Promise<void> {
  const env = readEnv(process.env)
  const embedded = env.databaseUrl
    ? null
    : await openEmbedded({ dataDir: env.dataDir, log: (line: string) => console.error(line) })
  const server = await startServer({ env, databaseUrl: env.databaseUrl ?? embedded?.url ?? '' }).catch(
    async (error) => {
      await embedded?.close()
      throw error
    },
  )
  process.send?.({ type: 'listening', url: server.url })

  let closing = false
  const close = async () => {
    if (closing) return
    closing = true
    try {
      await server.close()
      await embedded?.close()
      process.exit(0)
    } catch (error) {
      console.error(error)
      process.exit(1)
    }
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
  // Whoever started us is gone: nothing of ours shall be left running.
  process.on('disconnect', close)
}

main().catch((error: NodeJS.ErrnoException) => {
  console.error(
    error.code === 'EADDRINUSE'
      ? `Port ${process.env.PORT ?? 3000} is taken. Stop what uses it, or set PORT to another.`
      : error.message,
  )
  process.exit(1)
})
