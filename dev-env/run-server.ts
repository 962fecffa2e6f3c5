import { once } from 'node:events'

// The server process of `npm start`. It loads its modules while the stand-ins start, then waits for
// start.ts to send the environment with their addresses, and opens the bundled database.

const leave = () => process.exit(0)
process.once('disconnect', leave)
if (!process.connected) leave()
const environment = once(process, 'message')
const { openEmbedded } = await import('./database/embedded.ts')
const { runServer } = await import('../server/src/run.ts')
const [values] = await environment
process.off('disconnect', leave)
Object.assign(process.env, values)
runServer(process.env, (dataDir) => openEmbedded({ dataDir, log: (line) => console.error(line) }))
