// Preloaded before the server's main module: imports the server's modules while the stand-ins
// start, then waits for start.ts to send the environment with their addresses. JavaScript, because
// Node's compiler of types would stay in the server's memory.
import { once } from 'node:events'
import { dirname, extname, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

// Threads of the server inherit `--import`, but only the process has a parent that sends the
// environment.
if (isMainThread) await awaitEnvironment()

async function awaitEnvironment() {
  const leave = () => process.exit(0)
  process.once('disconnect', leave)
  if (!process.connected) leave()
  const environment = once(process, 'message')
  const main = process.argv[1] ?? ''
  await import(join(dirname(main), `start${extname(main)}`))
  const [values] = await environment
  process.off('disconnect', leave)
  Object.assign(process.env, values)
}
