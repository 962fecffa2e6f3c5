// Building blocks of generated people. Changing an entry changes people, so only append.

/** First names for handles: at most five letters, so that handles have at most twelve characters. */
export const FIRST_NAMES = (
  'ada adam aida alan alba alex alice alma amara amir amy ana anil anja anna anton ari aria arjun asa asha aya ayla ben ' +
  'bella bilal bjorn bo boris bruno caleb cam cara carl carla celia chen chloe cleo cody cole cora dan dana dario david ' +
  'dean demi devon diego dina dora dylan eden edith eli elif ella elsa emil emma enzo eric erin ethan eva evan fadi faith ' +
  'femi fiona flora frank freya gabe gia gina grace gus hana hanna hans haru hasan heidi helen henry hugo ian ibrah ida ' +
  'idris ines inga ira irene iris isla ivan ivy jack jade jan jana jared jay jean jing joan joel john jonas jose josh ' +
  'joy juan jude julia june kai kamal kara karim kate keiko ken kenji khalid kian kim kira kofi kurt lana lara laura ' +
  'lea leah leila lena leo lia liam lily lin lina linus lisa liv liz luca lucia lucy luis luke lulu luna maia malik ' +
  'mara marco maria mark marta mateo max maya mei mia mika mila milo mina mira moe mona musa nadia nam nasir nate neil ' +
  'nia nico nina noah noor nora olga oli olive omar oscar otto owen pablo paul pavel pearl pedro penny petra phil pia ' +
  'priya quinn raj ralf rania raul ravi remi rhea rio rob robin roman rosa rosie ruby rumi ruth ryan sagar sam sana ' +
  'sara sean shan sofia sol'
)
  .split(' ')
  .filter((name) => name.length <= 5)
  .slice(0, 256)

/** Endings of handles: at most three letters. */
export const HANDLE_ENDS =
  'ai ads api app art biz bln btc ceo cfo co cro css cto cx db dev dj dtc edu eth eu fit fm fyi gg gm go gtm hq hr hub inc io ios js la lab ldn llc ltd mba ml net nft now nyc ops org pm pr pro py rs seo sf sql tv uk us ux vc web xyz'.split(
    ' ',
  )

export const LAST_NAMES = (
  'Abbott Adeyemi Ahmed Almeida Andersson Aoki Bakker Banerjee Barros Becker Bennett Berg Bianchi Brandt Bryant Carvalho ' +
  'Castillo Chan Chaudhry Costa Cruz Dahl Delgado Demir Diaz Dubois Eriksen Esposito Farah Ferreira Fischer Fletcher ' +
  'Fontaine Garcia Ghosh Greene Gupta Haddad Hansen Hayes Herrera Hoffmann Hughes Ibrahim Ito Ivanova Jansen Jensen ' +
  'Johansson Kaya Keller Khan Kim Kowalski Kumar Larsen Laurent Lee Lindqvist Lopez Mehta Mensah Meyer Moreau Morgan ' +
  'Moretti Müller Murphy Nakamura Nguyen Nielsen Novak O’Brien Okafor Olsen Ortega Osei Park Patel Pereira Petrov Popescu ' +
  'Reid Reyes Ricci Rossi Ruiz Saito Santos Schmidt Shah Silva Singh Sørensen Suzuki Tanaka Taylor Torres Tran Vargas ' +
  'Vogel Wagner Walsh Weber Wong Yamamoto Yilmaz Young Zhang Zieliński'
).split(' ')

export const RIGHT_TO_LEFT_NAMES = [
  'أحمد الحسن',
  'سارة منصور',
  'محمد العلي',
  'ليلى حداد',
  'يوسف خليل',
  'نور الدين',
  'دانه العتيبي 🌙',
  'דוד לוי',
  'נועה כהן',
  'יעל מזרחי',
  'אורי פרץ',
  'رضا کریمی',
  'مریم احمدی',
  'علی رضایی ☕',
]

export const EAST_ASIAN_NAMES = [
  '田中太郎',
  '佐藤 美咲',
  '李明',
  '王小雨',
  '陈思远',
  '김민준',
  '이서연',
  '박지훈',
  '高橋 🍵',
  '林怡君',
]

/** Names that break careless code: quotes, angle brackets, commas, combining marks, single emoji. */
export const AWKWARD_NAMES = [
  '🦊',
  'R&D <3',
  '"Doc" Holloway',
  'Smith, Jane',
  'Zoë  🏳️‍🌈',
  'Null',
  "D'Angelo; O'Neil",
  '=SUM(Growth)',
  'é̂́ Étienne',
  '𝓐𝓷𝓷𝓪',
]

export const EMOJIS = ['🚀', '✨', '🔥', '🌱', '⚡️', '☕️', '🧠', '📈', '🦄', '🌊', '👩🏽‍💻', '🇧🇷', '🛠️', '🎯']

/** Occupations with their bio lines, and their frequency per 1,000 people. */
export const TRADES: { perThousand: number; lines: string[] }[] = [
  {
    perThousand: 130,
    lines: [
      'Founder @{co}',
      'Founder & CEO at {co}',
      'Serial founder, 2x exit',
      'Co-founder of {co}. Building in public',
    ],
  },
  {
    perThousand: 110,
    lines: ['SaaS builder', 'Building a SaaS for {market}', 'Bootstrapped SaaS to $20k MRR', 'B2B SaaS, {market}'],
  },
  {
    perThousand: 110,
    lines: [
      'Marketing at {co}',
      'Head of Marketing',
      'Growth marketing for {market}',
      'Content marketing, SEO and coffee',
    ],
  },
  {
    perThousand: 80,
    lines: ['Indie hacker', 'Indie hacker, shipping every week', 'indie hacker | 12 startups in 12 months'],
  },
  { perThousand: 70, lines: ['Crypto since 2013', 'DeFi, crypto, web3', 'crypto trader. Not financial advice'] },
  {
    perThousand: 90,
    lines: ['Product designer', 'Designer at {co}', 'UX designer, type nerd', 'Brand designer for {market}'],
  },
  {
    perThousand: 110,
    lines: [
      'Software engineer',
      'Full-stack developer, TypeScript',
      'iOS developer at {co}',
      'Rust, Go and long walks',
    ],
  },
  { perThousand: 50, lines: ['AI engineer', 'Machine learning researcher', 'AI agents for {market}'] },
  { perThousand: 40, lines: ['Angel investor', 'VC at {co}', 'Investing in {market}'] },
  { perThousand: 40, lines: ['Copywriter', 'Newsletter about {market}', 'Writer. Words for {co}'] },
  { perThousand: 30, lines: ['Sales leader, {market}', 'SDR manager at {co}', 'Agency owner, cold outreach'] },
  { perThousand: 40, lines: ['Photographer', 'Student', 'Football, family, food', 'Teacher and runner', 'Nurse'] },
]

export const COMPANIES = [
  'Northwind',
  'Lumen',
  'Acme',
  'Paperboat',
  'Kite',
  'Sundial',
  'Fathom',
  'Bricklane',
  'Orbital',
  'Tandem',
  'Hollow',
  'Maple',
]

export const MARKETS = [
  'creators',
  'dentists',
  'e-commerce',
  'fintech',
  'real estate',
  'climate tech',
  'restaurants',
  'recruiters',
  'gyms',
  'developers',
  'schools',
  'logistics',
]

export const BIO_TAILS = [
  'Dad of two.',
  'Opinions my own.',
  'DMs open.',
  '“Done is better than perfect.”',
  'Ex-Stripe, ex-Shopify.',
  'she/her',
  'Always learning 📚',
  'Berlin → Lisbon',
  'Views, mine; typos, also mine.',
  'Line one\nLine two',
  'https://example.com/{co}',
  'مرحبا بالعالم',
]

export const PLACES = [
  'Berlin',
  'Lisbon, Portugal',
  'Lagos',
  'New York, NY',
  'São Paulo',
  'London',
  'Bengaluru',
  'Toronto',
  'دبي',
  'תל אביב',
  '東京',
  'Remote',
  'Earth 🌍',
  'Paris',
  'Austin, TX',
  'Kyiv',
]

export const ANSWERS = [
  'Hey, thanks for reaching out! Tell me more?',
  'Interesting. How much is it?',
  'Sure, send me the link 🙂',
  'Who is this?',
  'Not right now, maybe next quarter.',
  'Sounds good, can you do Thursday?',
  'شكراً، أخبرني المزيد',
]

export const OPT_OUTS = [
  'STOP',
  'stop',
  'Please stop messaging me.',
  'Unsubscribe',
  'Not interested, remove me from your list',
]
