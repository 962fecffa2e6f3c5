// `npm run dev`: like `npm start`, but Vite serves the web app with hot reload.
process.argv.push('--dev')
await import('./start.ts')
