import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runQuietly } from './programs.ts'
import { root } from './root.ts'

const README = `# X-Automated client

    import { createApiClient } from '@x-automated/client'

    const client = createApiClient({ origin: 'https://your-host', apiKey: process.env.X_AUTOMATED_KEY })
    const { leads, total } = await client.leads.list({ keyword: 'founder' })

Admins create API keys in Settings → API. \`/api/docs\` on your host lists every call with its scope. A call that fails
throws an \`ORPCError\` with \`code\`, \`status\` and \`message\`.
`

// `npm run pack:client` packs the contract and its client as an npm tarball in the current folder.

const folder = resolve(process.env.INIT_CWD ?? '.')
const contract = join(root, 'contract')
const made = await mkdtemp(join(tmpdir(), 'x-automated-client-'))
try {
  const { version, dependencies } = JSON.parse(await readFile(join(contract, 'package.json'), 'utf8'))
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  await runQuietly(tsc, ['-p', join(contract, 'tsconfig.client.json'), '--outDir', join(made, 'build')], {
    doing: 'Compiling the client',
  })
  const manifest = {
    name: '@x-automated/client',
    version,
    description: 'A typed client of the X-Automated API.',
    license: 'UNLICENSED',
    type: 'module',
    exports: './build/api-client.js',
    files: ['build'],
    engines: { node: '>=20' },
    dependencies,
  }
  await writeFile(join(made, 'package.json'), JSON.stringify(manifest, null, 2))
  await writeFile(join(made, 'README.md'), README)
  await runQuietly('npm', ['pack', made, '--pack-destination', folder], { doing: 'Packing the client' })
  console.log(`Packed ${join(folder, `x-automated-client-${version}.tgz`)}`)
} finally {
  await rm(made, { recursive: true })
}
