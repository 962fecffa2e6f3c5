// `npm run dev`: as `npm start`, with the web app served by Vite and changed in the browser as its files change.
process.argv.push('--dev')
await import('./start.ts')
