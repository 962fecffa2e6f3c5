import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RECOGNIZED_LABELS, type RecognizedLabel } from '../contract/src/reply-labels.ts'
import {
  BUCKETS,
  featuresOf,
  LANGUAGE_BUCKETS,
  languageFeaturesOf,
  plainWordsOf,
  softmax,
  TOLD_APART,
  wordHash,
} from '../server/src/core/classifier/features.ts'
import { classifyReply } from '../server/src/core/classifier/labels.ts'
import {
  detectLanguage,
  isUnknownOrMixed,
  sharesOf,
  WEIGHTS_FILE,
  type Weights,
} from '../server/src/core/classifier/model.ts'
import { isOptOut } from '../server/src/core/classifier/opt-out.ts'
import { hintsOf } from '../server/src/core/classifier/phrases.ts'
import { fold, hasUnspaced } from '../server/src/core/classifier/text.ts'
import { f1Of, mean, readHeldOut } from './classifier-measures.ts'
import { root } from './root.ts'

// Trains the models that label replies and detect their language, on the data in
// server/src/core/classifier/training. See docs/classifier.md. `--development` only measures.

const folder = join(root, 'server/src/core/classifier/training')

/** Maximum number of different messages generated from each line. */
const PER_LINE = 48
const EPOCHS = 12
const RATE = 0.6
const DECAY = 2e-6
/** Languages that are only detected have fewer lines, so each line counts more. */
const OTHER_WEIGHT = 3
/** Every n-th line of a section belongs to the development set. */
const DEVELOPMENT = 6

/** Seeded random numbers: the same data yields the same weights. */
let seed = 20_261_123
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

interface Language {
  language: string
  lines: { label: RecognizedLabel; line: string; isDevelopment: boolean }[]
  opener: string
  closer: string
  name: string
  /** More words of the language, which occur in no line. */
  words: string
}

/** Reads a file. `# label` starts a section of lines, and (a|b) in a line lists alternatives. */
function readLanguage(file: string): Language {
  const read: Language = { language: basename(file, '.txt'), lines: [], opener: '', closer: '', name: '', words: '' }
  let section = ''
  let position = 0
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('# ')) section = line.slice(2).trim()
    else if (line.trim() === '') continue
    else if (section === 'opener' || section === 'closer' || section === 'name' || section === 'words')
      read[section] = `(${line})`
    else {
      position += 1
      read.lines.push({ label: labelOf(section), line, isDevelopment: position % DEVELOPMENT === 0 })
    }
  }
  return read
}

function labelOf(section: string): RecognizedLabel {
  const label = RECOGNIZED_LABELS.find((candidate) => candidate === section)
  if (!label) throw new Error(`Unknown section: ${section}`)
  return label
}

/** Generates a message from a line, choosing alternatives at random. */
function messageOf(line: string): string {
  let rest = line
  for (let innermost = /\(([^()]*)\)/.exec(rest); innermost; innermost = /\(([^()]*)\)/.exec(rest)) {
    rest =
      rest.slice(0, innermost.index) +
      pick(innermost[1]?.split('|') ?? []) +
      rest.slice(innermost.index + innermost[0].length)
  }
  return rest.replace(/ +/g, ' ').trim()
}

/** Varies a message as people write: with a greeting, in lower case, with a typo, without punctuation. */
function vary(message: string, { opener, closer, name }: Language): string {
  let varied = message
  const named = (text: string) => messageOf(text).replaceAll('{name}', messageOf(name))
  if (opener && random() < 0.2) varied = `${named(opener)}${pick([', ', '! ', ' ', '\n', '. '])}${varied}`
  if (closer && random() < 0.15) varied = `${varied}${pick([' ', '. ', '\n', ', ', '! '])}${named(closer)}`
  if (random() < 0.35) varied = varied.toLowerCase()
  else if (random() < 0.05) varied = varied.toUpperCase()
  if (random() < 0.12) varied = varied.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
  if (random() < 0.12) varied = varied.replace(/[.,!?']/g, '')
  if (random() < 0.1) varied += pick(['!', '.', '..', '!!', ' :)', ' 😊', '...'])
  if (random() < 0.12 && varied.length > 6) {
    const at = 1 + Math.floor(random() * (varied.length - 3))
    const [a, b] = [varied[at] ?? '', varied[at + 1] ?? '']
    varied = varied.slice(0, at) + pick([b + a, a, a + a + b]) + varied.slice(at + 2)
  }
  return varied
}

interface Sample {
  label: number
  at: Uint32Array
  value: Float32Array
  weight: number
}

/**
 * Generates samples from these lines. In `labels`, the mean weight is about 1 for each language and
 * label. The more messages a line yields, the less each of them weighs.
 */
function samplesOf(languages: Language[], isWanted: (line: Language['lines'][number]) => boolean) {
  const labels: (Sample & { language: string; text: string })[] = []
  const spoken: Sample[] = []
  for (const language of languages) {
    for (const label of RECOGNIZED_LABELS) {
      const lines = language.lines.filter((line) => line.label === label && isWanted(line))
      const made = lines.flatMap(({ line }) => {
        const texts = new Set<string>()
        for (let tries = 0; tries < PER_LINE; tries += 1) texts.add(messageOf(line))
        return [...texts].map((text) => ({ text, weight: 1 / Math.sqrt(texts.size) }))
      })
      const total = made.reduce((sum, { weight }) => sum + weight, 0)
      for (const { text, weight } of made) {
        const varied = vary(text, language)
        const share = (weight / total) * made.length
        labels.push({
          label: RECOGNIZED_LABELS.indexOf(label),
          weight: Math.min(4, share),
          language: language.language,
          text: varied,
          ...featuresOf(varied, hintsOf(varied)),
        })
        const spokenLabel = (TOLD_APART as readonly string[]).indexOf(language.language)
        if (spokenLabel >= 0 && /^[^\p{L}]*\p{Script=Latin}/u.test(varied))
          spoken.push({ label: spokenLabel, weight: 1, ...languageFeaturesOf(varied) })
      }
    }
  }
  return { labels, spoken }
}

/** Generates samples in languages that are only detected: entire lines, and parts of them. */
function otherLanguages(): Sample[] {
  let label = -1
  return readFileSync(join(folder, 'other-languages.txt'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) label = (TOLD_APART as readonly string[]).indexOf(line.slice(2).trim())
      if (line.startsWith('# ') || line.trim() === '') return []
      const words = line.split(' ')
      return Array.from({ length: PER_LINE }, () => {
        const size = random() < 0.4 ? words.length : 2 + Math.floor(random() * (words.length - 1))
        const from = Math.floor(random() * (words.length - size + 1))
        const part = words.slice(Math.max(0, from), Math.max(0, from) + size).join(' ')
        const varied = vary(part, { language: '', lines: [], opener: '', closer: '', name: '', words: '' })
        return { label, weight: OTHER_WEIGHT, ...languageFeaturesOf(varied) }
      })
    })
}

/** Returns the hashes of all words in the training data, sorted. */
function knownWords(languages: Language[]): Uint32Array {
  const hashes = languages.flatMap(({ language, lines, opener, closer, name, words }) =>
    [...lines.map(({ line }) => line), opener, closer, name, words]
      .flatMap((line) => plainWordsOf(line.replace(/[()|{}]/g, ' ')))
      .map((word) => wordHash(language, word)),
  )
  return Uint32Array.from(new Set(hashes)).sort()
}

/** Trains a multinomial logistic regression by stochastic gradient descent (AdaGrad). */
function train(
  samples: readonly Sample[],
  classes: number,
  buckets: number,
): { rows: Float32Array; bias: Float32Array } {
  const rows = new Float32Array(classes * buckets)
  const squares = new Float32Array(classes * buckets).fill(1e-4)
  const bias = new Float32Array(classes)
  const order = samples.map((_, index) => index)
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (let position = order.length - 1; position > 0; position -= 1) {
      const other = Math.floor(random() * (position + 1))
      ;[order[position], order[other]] = [order[other] as number, order[position] as number]
    }
    for (const sampleIndex of order) {
      const { at, value, label, weight } = samples[sampleIndex] as Sample
      const sums = Float64Array.from(bias)
      for (let index = 0; index < at.length; index += 1) {
        const row = (at[index] as number) * classes
        for (let c = 0; c < classes; c += 1) sums[c]! += rows[row + c]! * value[index]!
      }
      const shares = softmax(sums)
      for (let c = 0; c < classes; c += 1) {
        const error = weight * (shares[c]! - (c === label ? 1 : 0))
        bias[c]! -= 0.01 * error
        if (Math.abs(error) < 1e-4) continue
        for (let index = 0; index < at.length; index += 1) {
          const cell = (at[index] as number) * classes + c
          const slope = error * value[index]! + DECAY * rows[cell]!
          squares[cell]! += slope * slope
          rows[cell]! -= (RATE / Math.sqrt(squares[cell]!)) * slope
        }
      }
    }
  }
  return { rows, bias }
}

/** Rounds weights to bytes. @param temperature divides the sums, so that probabilities are calibrated */
function pack({ rows, bias }: { rows: Float32Array; bias: Float32Array }, temperature: number): Weights {
  const classes = bias.length
  const scale = new Float32Array(classes)
  for (let c = 0; c < classes; c += 1) {
    let most = 0
    for (let cell = c; cell < rows.length; cell += classes) most = Math.max(most, Math.abs(rows[cell]!))
    scale[c] = most / 127 || 1
  }
  const bytes = Int8Array.from(rows, (weight, cell) => Math.round(weight / scale[cell % classes]!))
  return {
    scale: scale.map((value) => value / temperature),
    bias: bias.map((value) => value / temperature),
    rows: bytes,
  }
}

/** Finds the temperature that maximizes the likelihood of the samples. */
function temperatureOf(model: { rows: Float32Array; bias: Float32Array }, samples: readonly Sample[]): number {
  const loss = (temperature: number) => {
    const packed = pack(model, temperature)
    return samples.reduce((sum, sample) => sum - Math.log(Math.max(1e-9, sharesOf(packed, sample)[sample.label]!)), 0)
  }
  const candidates = Array.from({ length: 28 }, (_, exponent) => 0.5 * 1.1 ** exponent)
  const losses = candidates.map(loss)
  return candidates[losses.indexOf(Math.min(...losses))] as number
}

/** Above this similarity to a training message, a held-out message tests little. */
const ALIKE = 0.6

/** Returns all substrings of three characters, or of two in scripts without spaces. */
function partsOf(text: string): Set<string> {
  const padded = ` ${fold(text)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim()} `
  const size = hasUnspaced(padded) ? 2 : 3
  return new Set(Array.from({ length: Math.max(0, padded.length - size + 1) }, (_, at) => padded.slice(at, at + size)))
}

/** Returns the share of substrings that two texts have in common, or 0 if it cannot reach ALIKE. */
function likeness(a: Set<string>, b: Set<string>): number {
  if (Math.min(a.size, b.size) < ALIKE * Math.max(a.size, b.size)) return 0
  let common = 0
  for (const part of a) if (b.has(part)) common += 1
  return common / (a.size + b.size - common)
}

/** Writes the classifier's figures for the held-out messages into docs/classifier.md. */
function writeFigures(trained: readonly { language: string; text: string }[]): void {
  const heldOut = readHeldOut(readFileSync(join(folder, 'held-out.txt'), 'utf8'))
  const options = { optOutWords: [], now: new Date('2026-11-20T12:00:00Z'), timeZone: 'UTC' }
  const read = heldOut.map((message) => ({
    ...message,
    said: classifyReply(message.text, options),
    spoken: detectLanguage(message.text),
    byRule: isOptOut(fold(message.text)),
  }))
  const unknown = readFileSync(join(folder, 'held-out-other.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((text) => ({ said: classifyReply(text, options) }))
  const matrixOf = (rows: typeof read) =>
    RECOGNIZED_LABELS.map((label) =>
      [...RECOGNIZED_LABELS, null].map(
        (predicted) => rows.filter((row) => row.label === label && row.said.label === predicted).length,
      ),
    )
  const share = <Row>(rows: readonly Row[], isRight: (row: Row) => boolean) =>
    mean(rows.map((row) => Number(isRight(row)))).toFixed(3)
  const isOptOutLabel = ({ label }: { label: RecognizedLabel }) => label === 'opted_out'
  const optOuts = read.filter(isOptOutLabel)
  const others = read.filter(({ label }) => label !== 'opted_out')
  const matrix = matrixOf(read)
  const table = (rows: (string | number)[][]) =>
    rows.map((row, index) => `| ${row.join(' | ')} |${index === 0 ? `\n|${'---|'.repeat(row.length)}` : ''}`).join('\n')
  const partsByLanguage = new Map<string, Set<string>[]>()
  for (const { language, text } of trained) {
    const others = partsByLanguage.get(language) ?? []
    others.push(partsOf(text))
    partsByLanguage.set(language, others)
  }
  const unlike = read.filter(({ language, text }) => {
    const parts = partsOf(text)
    return !(partsByLanguage.get(language) ?? []).some((other) => likeness(parts, other) >= ALIKE)
  })
  const heldLanguages = [...new Set(read.map(({ language }) => language))]
  const bins = [0, 0.5, 0.7, 0.9, 0.97].map((from, index, all) => ({ from, to: all[index + 1] ?? 1 }))
  const guessed = read.filter(({ said: prediction }) => prediction.by === 'model')
  const figures = [
    `Held-out messages: ${read.length} in ${heldLanguages.length} languages. Training: ${languages.map(({ language }) => language).join(', ')}.`,
    table([
      ['measure', 'value', 'target'],
      ['opt-out recall', share(optOuts, ({ said: prediction }) => prediction.label === 'opted_out'), '0.98'],
      ['opt-out recall of the rules alone', share(optOuts, ({ byRule }) => byRule), '0.95'],
      ['others that the rules suppress by mistake', share(others, ({ byRule }) => byRule), ''],
      ['macro F1', mean(f1Of(matrix)).toFixed(3), '0.80'],
      ['language detected', share(read, ({ language, spoken }) => language === spoken), ''],
      ['taken for an unknown or mixed language', share(read, ({ text }) => isUnknownOrMixed(text)), ''],
      [
        'unknown or mixed messages with a label',
        share(unknown, ({ said: prediction }) => prediction.label !== null),
        '',
      ],
    ]),
    `Of these, ${unlike.length} resemble no training message of their language (fewer than ${ALIKE * 100}% of their parts of three characters in common). On them alone:`,
    table([
      ['measure', 'value'],
      [
        'opt-out recall',
        share(unlike.filter(isOptOutLabel), ({ said: prediction }) => prediction.label === 'opted_out'),
      ],
      ['opt-out recall of the rules alone', share(unlike.filter(isOptOutLabel), ({ byRule }) => byRule)],
      ['opt-outs', unlike.filter(isOptOutLabel).length],
      ['macro F1', mean(f1Of(matrixOf(unlike))).toFixed(3)],
    ]),
    'Confusion matrix: a row per true label, a column per label given.',
    table([
      ['', ...RECOGNIZED_LABELS, 'none', 'F1'],
      ...matrix.map((row, label) => [
        RECOGNIZED_LABELS[label] as string,
        ...row,
        (f1Of(matrix)[label] ?? 0).toFixed(2),
      ]),
    ]),
    'Macro F1 per language.',
    table([
      ['language', 'messages', 'F1', 'opt-out recall'],
      ...heldLanguages.map((language) => {
        const rows = read.filter((row) => row.language === language)
        const optOutRows = rows.filter(({ label }) => label === 'opted_out')
        return [
          language,
          rows.length,
          mean(f1Of(matrixOf(rows))).toFixed(3),
          share(optOutRows, ({ said: prediction }) => prediction.label === 'opted_out'),
        ]
      }),
    ]),
    "How often the model's label is right, by its confidence.",
    table([
      ['confidence', 'messages', 'right'],
      ...bins.map(({ from, to }) => {
        const rows = guessed.filter(
          ({ said: prediction }) => prediction.confidence >= from && prediction.confidence < to,
        )
        return [`${from}–${to}`, rows.length, share(rows, ({ label, said: prediction }) => label === prediction.label)]
      }),
    ]),
  ].join('\n\n')
  const path = join(root, 'docs', 'classifier.md')
  const [before, after] = readFileSync(path, 'utf8').split(/<!-- figures -->[\s\S]*<!-- end of figures -->/)
  writeFileSync(path, `${before}<!-- figures -->\n\n${figures}\n\n<!-- end of figures -->${after}`)
  if (process.argv.includes('--figures')) console.log(figures)
}

const started = performance.now()
const say = (line: string) => console.log(`${((performance.now() - started) / 1_000).toFixed(1)} s  ${line}`)

const files = readdirSync(folder)
  .filter((name) => /^[a-z]{2}\.txt$/.test(name))
  .sort()
const languages = files.map((name) => readLanguage(join(folder, name)))

const fitted = samplesOf(languages, ({ isDevelopment }) => !isDevelopment)
const held = samplesOf(languages, ({ isDevelopment }) => isDevelopment)
say(`${languages.length} languages, ${fitted.labels.length} messages, ${held.labels.length} of the development set`)
const trial = train(fitted.labels, RECOGNIZED_LABELS.length, BUCKETS)
const temperature = temperatureOf(trial, held.labels)
const packed = pack(trial, temperature)
const confusion = new Map<string, number[][]>()
for (const { language, label, text, ...sample } of held.labels) {
  const matrix = confusion.get(language) ?? RECOGNIZED_LABELS.map(() => RECOGNIZED_LABELS.map(() => 0))
  confusion.set(language, matrix)
  const shares = sharesOf(packed, sample)
  const predicted = shares.indexOf(Math.max(...shares))
  matrix[label]![predicted]! += 1
  if (predicted !== label && process.argv.includes('--errors') && random() < 0.03)
    console.log(
      `  ${RECOGNIZED_LABELS[label]} → ${RECOGNIZED_LABELS[predicted]} ${shares[predicted]?.toFixed(2)}: ${text}`,
    )
}
for (const [language, matrix] of confusion)
  say(
    `development ${language}: macro F1 ${mean(f1Of(matrix)).toFixed(3)}  ${f1Of(matrix)
      .map((f) => f.toFixed(2))
      .join(' ')}`,
  )
say(`temperature ${temperature.toFixed(2)}`)

if (!process.argv.includes('--development')) {
  const all = samplesOf(languages, () => true)
  const labels = pack(train(all.labels, RECOGNIZED_LABELS.length, BUCKETS), temperature)
  const spoken = pack(train([...all.spoken, ...otherLanguages()], TOLD_APART.length, LANGUAGE_BUCKETS), 1)
  const parts = [...[labels, spoken].flatMap(({ scale, bias, rows }) => [scale, bias, rows]), knownWords(languages)]
  writeFileSync(
    fileURLToPath(WEIGHTS_FILE),
    Buffer.concat(parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))),
  )
  say('written')
  writeFigures(all.labels)
}
