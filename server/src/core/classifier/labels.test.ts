import { readFileSync } from 'node:fs'
import { RECOGNIZED_LABELS, type RecognizedLabel } from '@x-automated/contract/leads/leads'
import { beforeAll, describe, expect, it } from 'vitest'
import { f1Of, mean, readHeldOut } from '../../../../tools/classifier-measures.ts'
import { classifyReply, detectLanguage, isUnknownOrMixed, labelToContinue } from './labels.ts'
import { isOptOut } from './opt-out.ts'
import { fold } from './text.ts'

const options = { optOutWords: [], now: new Date('2026-11-20T12:00:00Z'), timeZone: 'UTC' }
const classify = (text: string) => classifyReply(text, options)

// Written by hand, separately from the training data: docs/classifier.md.
const heldOut = readHeldOut(readFileSync(new URL('./training/held-out.txt', import.meta.url), 'utf8'))
const languages = [...new Set(heldOut.map(({ language }) => language))]

describe('held-out messages', () => {
  let labels: (RecognizedLabel | null)[]
  beforeAll(() => {
    labels = heldOut.map(({ text }) => classify(text).label)
  })
  const matrixOf = (isWanted: (language: string) => boolean) => {
    // The last column counts messages without a label.
    const columns = [...RECOGNIZED_LABELS, null]
    const matrix = RECOGNIZED_LABELS.map(() => columns.map(() => 0))
    heldOut.forEach(({ label, language }, index) => {
      const row = matrix[RECOGNIZED_LABELS.indexOf(label)] as number[]
      const column = columns.indexOf(labels[index] ?? null)
      if (isWanted(language)) row[column] = (row[column] ?? 0) + 1
    })
    return matrix
  }
  const optOuts = () =>
    heldOut.flatMap(({ label, text }, index) => (label === 'opted_out' ? [{ text, said: labels[index] }] : []))

  it('finds at least 98% of opt-outs, and 95% by rules alone', () => {
    expect(mean(optOuts().map((optOut) => Number(optOut.said === 'opted_out')))).toBeGreaterThanOrEqual(0.98)
    expect(mean(optOuts().map(({ text }) => Number(isOptOut(fold(text)))))).toBeGreaterThanOrEqual(0.95)
  })

  it('are labelled with a macro F1 of at least 0.80', () => {
    expect(mean(f1Of(matrixOf(() => true)))).toBeGreaterThanOrEqual(0.8)
  })

  it.each(languages)('are labelled well enough in %s', (language) => {
    expect(mean(f1Of(matrixOf((candidate) => candidate === language)))).toBeGreaterThanOrEqual(
      language === 'en' ? 0.85 : 0.7,
    )
  })
})

describe('languages that the model does not know', () => {
  const others = readFileSync(new URL('./training/held-out-other.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

  it('give no label and no date to at least 90% of messages', () => {
    const labelled = others.filter((text) => classify(text).label !== null)
    expect(labelled.length, labelled.join('\n')).toBeLessThanOrEqual(others.length * 0.1)
    for (const text of others.filter((candidate) => !labelled.includes(candidate)))
      expect(classify(text).until).toBeNull()
  })

  it('are seen in at most 3% of messages in languages that it knows', () => {
    const unread = heldOut.filter(({ text }) => isUnknownOrMixed(text))
    expect(unread.length, unread.map(({ text }) => text).join('\n')).toBeLessThanOrEqual(heldOut.length * 0.03)
  })

  it.each([
    'Μου αρέσει, στείλε μου περισσότερα',
    'Kuulostaa hyvältä, kerro lisää',
    'น่าสนใจครับ ขอรายละเอียดหน่อย',
    'Nu acum, scrie-mi luna viitoare te rog',
    'Sounds great! Μίλα με τη συνάδελφό μου πρώτα',
    // Known letters, but hardly a known word
    'mne ne interesno',
    'mnie eto interesno davayte sozvonimsya',
    'den endiaferomai efxaristo',
    'Great, mne ne interesno',
    'Sounds great, tell me more about it. mne eto ne interesno',
    'mish 3ayez 7aga',
    'chem uzum',
    'tsy mila izany',
    'ngiyabonga angifuni',
    'ar mainteresebs',
    'Керек эмес рахмат',
    'मम रुचिः नास्ति',
  ])('give no label to %j', (text) => {
    expect(classify(text)).toEqual({ label: null, confidence: 0, by: 'model', until: null })
  })

  it.each([
    ...['ok', '👍', 'Demo?', 'LGTM', 'Sounds great, tell me more', '123', '3pm?', 'yessir', 'Perfetto!', 'Perfecto'],
    ...[
      'Zapier integration?',
      'Great idea. Discord server admins only',
      'OpenAI使えますか',
      'send to ana@acme.example',
    ],
  ])('leave a label to %j', (text) => {
    expect(classify(text).label).not.toBeNull()
  })

  it('keep opt-outs, and automatic replies without their date', () => {
    expect(classify('Μη μου ξαναγράψεις').label).toBe('opted_out')
    expect(classify('Out of office until March 3. Λείπω με άδεια και θα απαντήσω αργότερα')).toMatchObject({
      label: 'auto_reply',
      until: null,
    })
  })

  it('label no question about campaigns as an opt-out', () => {
    expect(classify('How do I stop a campaign in your tool?').label).toBe('question')
  })
})

/** Returns the shortest processor time of three runs in this thread, in milliseconds. */
function processorTime(work: () => unknown): number {
  const runs = Array.from({ length: 3 }, () => {
    const before = process.threadCpuUsage()
    work()
    return process.threadCpuUsage(before).user / 1_000
  })
  return Math.min(...runs)
}

describe('classifyReply', () => {
  it('takes under 5 ms of processor time for 99% of messages', () => {
    const texts = heldOut.map(({ text }) => text)
    const times = texts.map((text) => processorTime(() => classify(text)))
    times.sort((a, b) => a - b)
    expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(5)
  })

  it('takes under 50 ms of processor time for hostile texts', () => {
    const pieces = [
      'a',
      'no ',
      'не мне больше ',
      'do not ',
      'لا تراسل عن ',
      '連絡',
      '不要',
      'eliminmeme',
      'i am ',
      'ti ho ',
      'a ',
      'ﷺ',
      '1.',
      '@a.',
      '\u200b',
      '?',
      '(',
      '😀',
    ]
    for (const piece of pieces) {
      const text = piece.repeat(10_000).slice(0, 10_000)
      expect(
        processorTime(() => classify(text)),
        piece,
      ).toBeLessThan(50)
    }
  })

  it('is certain only if a rule decides', () => {
    expect(classify('STOP')).toMatchObject({ label: 'opted_out', confidence: 1, by: 'rule' })
    const { by, confidence } = classify('sounds interesting, tell me more')
    expect(by).toBe('model')
    expect(confidence).toBeGreaterThan(0)
    expect(confidence).toBeLessThan(1)
  })

  it('lets a sequence continue only after sure labels', () => {
    const reading = { by: 'model', until: null } as const
    expect(labelToContinue({ ...reading, label: 'auto_reply', confidence: 0.95 })).toBe('auto_reply')
    expect(labelToContinue({ ...reading, label: 'auto_reply', confidence: 0.6 })).toBeNull()
    expect(labelToContinue({ ...reading, label: 'interested', confidence: 0.95 })).toBeNull()
  })
})

describe('detectLanguage', () => {
  it.each([
    ['Thanks, but we already have an agency for that', 'en'],
    ['Danke, aber wir haben schon eine Agentur dafür', 'de'],
    ['Merci, mais nous avons déjà une agence pour ça', 'fr'],
    ['Gracias, pero ya tenemos una agencia para eso', 'es'],
    ['Dziękuję, ale mamy już agencję', 'pl'],
    ['ありがとうございます、検討します', 'ja'],
    ['谢谢，我们不需要', 'zh'],
    ['Спасибо, нам это не нужно', 'ru'],
    ['شكرا لكم', 'ar'],
    ['👍', 'und'],
  ])('reads %j as %s', (text, language) => {
    expect(detectLanguage(text)).toBe(language)
  })
})
