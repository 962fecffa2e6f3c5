import { Face } from './face'
import { FeatureSection } from './feature-section'

/** The last example shows the fallback. */
const examples = [
  { name: 'Maya', text: 'Hi Maya, two profitable products without a growth team is rare.' },
  { name: 'Jonas', text: 'Hi Jonas, a spreadsheet that fits in one tab is a brave idea.' },
  { name: 'Ines', text: "Hi Ines, I like what you're building." },
] as const

export function WritingSection() {
  return (
    <FeatureSection
      title="Write once. Everyone gets their own version."
      text="Say who you are and what you offer. The AI writer drafts it; you have the final say."
      points={[
        ['AI writer', 'Drafts messages short enough to read on a phone, with an opener for each person.'],
        ['Custom variables', 'Names, companies, any column of your CSV, with a fallback when a value is missing.'],
        ['A/B testing', 'Write two versions and see which one gets more replies. With Agency.'],
      ]}
      picture={
        <div className="grid grid-cols-1 gap-6">
          <p className="rounded-lg border border-control bg-canvas p-4 text-base">
            Hi <Variable>{'{first_name}'}</Variable>, <Variable>{"{ai_opener|I like what you're building.}"}</Variable>{' '}
            We write onboarding emails for small SaaS teams. May I show you one?
          </p>
          <div className="grid grid-cols-1 gap-2">
            {examples.map(({ name, text }) => (
              <div key={name} className="flex items-center gap-3">
                <Face of={name} className="size-9" />
                <p className="rounded-2xl bg-bubble-in px-4 py-2">{text}</p>
              </div>
            ))}
          </div>
        </div>
      }
    />
  )
}

function Variable({ children }: { children: string }) {
  return <span className="rounded-sm bg-accent-soft px-1 text-accent-word wrap-anywhere">{children}</span>
}
