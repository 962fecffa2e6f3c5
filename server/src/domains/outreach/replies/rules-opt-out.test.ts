import { describe, expect, it } from 'vitest'
import { isOptOut } from './rules-opt-out.ts'
import { fold } from './rules-text.ts'

const asksToStop = (text: string) => isOptOut(fold(text))

describe('isOptOut', () => {
  it.each([
    'pls stop',
    'ＳＴＯＰ',
    's\u200bt\u200bop',
    'No thanks. Take us off your list',
    'I never signed up for this and do not want to hear from you',
    'Nimm mich bitte aus dem Verteiler',
    'Je ne veux plus recevoir vos messages',
    'Bórrenme de su base de datos',
    'Me tira dessa lista',
    'Toglimi dalla lista',
    'Ik wil geen berichten meer ontvangen',
    'Usuńcie mnie z bazy',
    'Bana bir daha mesaj atmayın',
    'Отстаньте',
    'Ta bort mig från listan',
    'もう送ってこないでください',
    '别再发消息了',
    '연락하지 마세요',
    'मुझे मैसेज मत करो',
    'توقف عن مراسلتي',
    'أوقف',
    'ابعد عني',
    '🛑',
  ])('finds the opt-out in %j', (text) => {
    expect(asksToStop(text)).toBe(true)
  })

  it.each([
    "Please don't stop, I love these",
    'Stop by our booth on Thursday',
    'Can it stop when someone replies?',
    "Don't hesitate to contact me",
    'A one stop shop, nice',
    'Do people unsubscribe a lot?',
    'My Monday is blocked, Tuesday works',
    'Ahora no, escríbeme en marzo',
    'Agora não, me chama em março',
    'Bitte hör nicht auf',
    "Won't work for us",
    'いいですね',
    '感兴趣',
    '관심 있습니다',
  ])('finds none in %j', (text) => {
    expect(asksToStop(text)).toBe(false)
  })
})
