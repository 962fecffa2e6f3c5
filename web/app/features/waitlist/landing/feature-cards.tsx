import { BarChart3, Bot, UserSearch, Users } from 'lucide-react'

const features = [
  {
    title: 'Lead scraping',
    text: 'Pick a handle. Its followers become leads, filtered by follower count and bio keywords.',
    icon: UserSearch,
  },
  {
    title: 'Auto DMs',
    text: 'Every message goes out once, within your hours and daily cap. It keeps running when you close the tab.',
    icon: Bot,
  },
  {
    title: 'Analytics',
    text: 'Sent, delivered, replied: per campaign, per day, with the replies one click away.',
    icon: BarChart3,
  },
  {
    title: 'Team access',
    text: 'Role-based permissions and shared templates. Everyone sees the same leads, lists and campaigns.',
    icon: Users,
  },
]

/** Four feature cards. */
export function FeatureCards() {
  return (
    <section aria-labelledby="features" className="border-t border-line bg-sunken">
      <div className="page-width grid gap-8 py-16 md:py-24">
        <h2 id="features" className="max-w-lg text-3xl">
          From a handle to a conversation
        </h2>
        <ul className="grid gap-3 sm:grid-cols-2 md:gap-4 lg:grid-cols-4">
          {features.map(({ title, text, icon: Icon }) => (
            <li key={title} className="grid content-start gap-2 rounded-lg border border-line bg-surface p-5">
              <Icon aria-hidden className="size-5 text-accent-word" />
              <h3 className="pt-2 text-base">{title}</h3>
              <p className="text-muted">{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
