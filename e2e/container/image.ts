import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, cpSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { text } from 'node:stream/consumers'
import ignore from '@balena/dockerignore'
import { type Copy, DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast'
import { unprivilegedAccount } from '../../dev-env/database/binaries.ts'
import { root } from '../../tools/root.ts'

/** A stage of a Dockerfile. The last one is the image. */
export interface Stage {
  /** Its files, without those of the base image. */
  folder: string
  workdir: string
  env: Record<string, string>
  user: string
  volumes: string[]
  healthcheck: string[]
  entrypoint: string[]
  command: string[]
}

interface Entry {
  env: NodeJS.ProcessEnv
  /** Folders of this machine, and where the program finds them. They are writable. */
  folders: Record<string, string>
  /** The user id. Everything outside `folders` is then read-only. */
  as?: string
}

/** The id of the base image's user `node`. */
export const NODE_ID = '1000'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Builds images and runs programs in them, as an ordinary user in the folder `work`, without Docker. */
export function openBuilder(work: string) {
  const account = unprivilegedAccount()
  const [base, context, temporary] = [join(work, 'base'), join(work, 'context'), join(work, 'tmp')]

  /** This machine's programs, this Node and `apt-get.sh` stand in for the base image. */
  function makeBase(): void {
    const programs = join(base, 'usr', 'local', 'bin')
    mkdirSync(programs, { recursive: true })
    copyFileSync(process.execPath, join(programs, 'node'))
    copyFileSync(join(import.meta.dirname, 'apt-get.sh'), join(programs, 'apt-get'))
    chmodSync(join(programs, 'apt-get'), 0o755)
    // An ordinary user has one id, so files that a step gives to `node` stay with it.
    writeFileSync(join(base, 'passwd'), 'root:x:0:0::/tmp:/bin/sh\nnode:x:0:0::/tmp:/bin/sh\n')
    writeFileSync(join(base, 'group'), 'root:x:0:\nnode:x:0:\n')
  }

  /** Copies what `docker build` would send: the files of the working tree without those of .dockerignore. */
  function copyContext(): void {
    const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const files = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0')
    const ignored = ignore.default().add(readFileSync(join(root, '.dockerignore'), 'utf8'))
    for (const file of ignored.filter(files.filter((name) => name !== '')))
      cpSync(join(root, file), join(context, file))
  }

  function enter({ folder, workdir }: Stage, program: string[], { env, folders, as = '' }: Entry): ChildProcess {
    const enterScript = join(import.meta.dirname, 'enter.sh')
    const variables = {
      ROOT: folder,
      BASE: base,
      LAYERS: `${base} ${folder}/packages`,
      BINDS: Object.entries(folders)
        .map(([from, to]) => `${from}:${to.slice(1)}`)
        .join(' '),
      WORKDIR: workdir,
      AS: as,
    }
    return spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', enterScript, ...program], {
      ...account,
      env: { ...env, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  async function change(stage: Stage, command: string, folders: Record<string, string> = {}): Promise<void> {
    const env = { ...npmSettings(), ...stage.env, HOME: '/tmp' }
    await finish(enter(stage, ['sh', '-c', command], { env, folders: { ...folders, [temporary]: '/tmp' } }))
  }

  async function copy(stage: Stage, stages: Map<string, Stage>, instruction: Copy): Promise<void> {
    const [flag, ...otherFlags] = instruction.getFlags()
    if (otherFlags.length > 0 || (flag && flag.getName() !== 'from')) throw new Error('Only COPY --from is supported.')
    const source = flag ? stages.get(flag.getValue() ?? '')?.folder : context
    if (!source) throw new Error(`There is no stage ${flag?.getValue()}.`)
    const paths = wordsOf(instruction)
    const target = paths.pop() ?? ''
    for (const path of paths) {
      const from = posix.join('/from', path)
      const isFolder = lstatSync(join(source, path)).isDirectory()
      const into = isFolder || target.endsWith('/') ? target : posix.dirname(target)
      await change(stage, `mkdir -p ${into} && cp -a ${isFolder ? `${from}/.` : from} ${target}`, { [source]: '/from' })
    }
  }

  const steps: Record<string, (stage: Stage, instruction: Instruction, stages: Map<string, Stage>) => unknown> = {
    async WORKDIR(stage, instruction) {
      const workdir = posix.resolve(stage.workdir, wordsOf(instruction)[0] ?? '')
      await change({ ...stage, workdir: '/' }, `mkdir -p ${workdir}`)
      stage.workdir = workdir
    },
    COPY: (stage, instruction, stages) => copy(stage, stages, instruction as Copy),
    RUN: (stage, instruction) => change(stage, instruction.getArgumentsContent() ?? ''),
    ENV(stage, instruction) {
      Object.assign(stage.env, Object.fromEntries(wordsOf(instruction).map((word) => word.split('='))))
    },
    USER(stage, instruction) {
      stage.user = wordsOf(instruction)[0] ?? ''
    },
    VOLUME(stage, instruction) {
      stage.volumes = stringsOf(instruction)
    },
    HEALTHCHECK(stage, instruction) {
      stage.healthcheck = JSON.parse(wordsOf(instruction).slice(1).join(' '))
    },
    ENTRYPOINT(stage, instruction) {
      stage.entrypoint = stringsOf(instruction)
    },
    CMD(stage, instruction) {
      stage.command = stringsOf(instruction)
    },
    EXPOSE() {},
  }

  return {
    /** Runs the steps of the Dockerfile. @param say receives each step */
    async build(say: (line: string) => void): Promise<Stage> {
      makeBase()
      copyContext()
      mkdirSync(temporary)
      if (account) execFileSync('chown', ['--recursive', `${account.uid}:${account.gid}`, work])
      const stages = new Map<string, Stage>()
      let stage: Stage | undefined
      for (const instruction of DockerfileParser.parse(
        readFileSync(join(root, 'Dockerfile'), 'utf8'),
      ).getInstructions()) {
        const keyword = instruction.getKeyword()
        say(`${keyword} ${instruction.getArgumentsContent()}`)
        if (keyword === 'FROM') {
          const [from = '', , name = `${stages.size}`] = wordsOf(instruction)
          stage = stageFrom(stages.get(from), join(work, `stage-${name}`))
          stages.set(name, stage)
          continue
        }
        const step = steps[keyword]
        if (!step || !stage) throw new Error(`${keyword} is not supported here.`)
        await step(stage, instruction, stages)
      }
      if (!stage) throw new Error('The Dockerfile has no stage.')
      return stage
    },

    /** Starts a program in the image as the user `node`. Only `folders` and the image's volumes are writable. */
    start(image: Stage, program: string[], env: NodeJS.ProcessEnv, folders: Record<string, string> = {}): ChildProcess {
      const volumes = image.volumes.map((path) => [writableFolder(posix.join('volumes', path)), path])
      return enter(image, program, {
        env: { ...image.env, ...env },
        folders: { ...folders, ...Object.fromEntries(volumes) },
        as: NODE_ID,
      })
    },
    writableFolder,
  }

  /** Creates a folder that the ordinary user owns. */
  function writableFolder(name: string): string {
    const path = join(work, name)
    mkdirSync(path, { recursive: true })
    if (account) execFileSync('chown', ['--recursive', `${account.uid}:${account.gid}`, path])
    return path
  }

  function stageFrom(parent: Stage | undefined, folder: string): Stage {
    mkdirSync(folder)
    if (account) execFileSync('chown', [`${account.uid}:${account.gid}`, folder])
    if (parent) execFileSync('cp', ['--archive', `${parent.folder}/.`, folder], { ...account })
    const empty = {
      workdir: '/',
      env: { PATH },
      user: 'root',
      volumes: [],
      healthcheck: [],
      entrypoint: [],
      command: [],
    }
    return { ...structuredClone(parent ?? empty), folder }
  }
}

const wordsOf = (instruction: Instruction) => instruction.getArguments().map((argument) => argument.getValue())
const stringsOf = (instruction: Instruction) =>
  (instruction as JSONInstruction).getJSONStrings().map((string) => string.getJSONValue())

/** Waits for a program. @returns what it printed @throws Error if it fails */
export async function finish(child: ChildProcess): Promise<string> {
  const ended = once(child, 'close')
  const [output, errors] = await Promise.all([text(child.stdout!), text(child.stderr!)])
  const [code] = await ended
  if (code !== 0) throw new Error(`${child.spawnargs.slice(5).join(' ')} ended with ${code}:\n${output}${errors}`)
  return output
}

/** How npm reaches its registry from this machine. */
function npmSettings(): Record<string, string> {
  const settings = JSON.parse(execFileSync('npm', ['config', 'list', '--json'], { cwd: '/', encoding: 'utf8' }))
  const names = ['registry', 'cafile', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl']
  const isSet = (value: unknown) => value !== null && value !== undefined && `${value}` !== ''
  return Object.fromEntries(
    names
      .filter((name) => isSet(settings[name]))
      .map((name) => [`npm_config_${name.replace('-', '_')}`, `${settings[name]}`]),
  )
}
