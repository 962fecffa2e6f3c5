import { formatNumber } from '@x-automated/contract/format'
import { Inbox, Pencil, Plus, Send, Trash2, Users } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { pageMeta } from '../features/overview/shell/page-meta'
import { Avatar } from '../ui/avatar'
import { Badge, StatusBadge, statusLooks, type Tone } from '../ui/badge'
import { Button, ButtonLink, type ButtonVariant, IconButton } from '../ui/button'
import { Callout } from '../ui/callout'
import { Card } from '../ui/card'
import { ChipsInput } from '../ui/chips-input'
import { Checkbox, RadioGroup, Switch } from '../ui/choice'
import { Combobox } from '../ui/combobox'
import { useConfirm } from '../ui/confirm'
import { CopyButton } from '../ui/copy-button'
import { Dialog, Sheet } from '../ui/dialog'
import { EmptyState } from '../ui/empty-state'
import { Field } from '../ui/field'
import { Input, PasswordInput, Textarea } from '../ui/input'
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from '../ui/menu'
import { NumberInput } from '../ui/number-input'
import { PageHeader } from '../ui/page-header'
import { Pager } from '../ui/pager'
import { Progress } from '../ui/progress'
import { Segments } from '../ui/segments'
import { Select } from '../ui/select'
import { Skeleton, SkeletonButton, SkeletonField, SkeletonLine, SkeletonRows, SkeletonText } from '../ui/skeleton'
import { Slider } from '../ui/slider'
import { StatCard } from '../ui/stat-card'
import { Table, Td, Th, Tr } from '../ui/table'
import { Tabs, useTabParam } from '../ui/tabs'
import { toast } from '../ui/toast'
import { Tooltip } from '../ui/tooltip'

export const meta = () => pageMeta('Components', 'Every UI component in every state.')

/** All UI components. Development only. */
export default function Components() {
  return (
    <div className="page-width grid gap-14 py-10">
      <PageHeader
        title="Components"
        description="Every UI component in every state. tokens.css defines the look."
        actions={<CopyButton text="app/ui" label="Copy folder" />}
      />
      <Section title="Text and colors">
        <TextAndColors />
      </Section>
      <Section title="Buttons">
        <Buttons />
      </Section>
      <Section title="Fields">
        <Fields />
      </Section>
      <Section title="Choices">
        <Choices />
      </Section>
      <Section title="Status">
        <Statuses />
      </Section>
      <Section title="Overlays">
        <Overlays />
      </Section>
      <Section title="Tabs">
        <TabsExample />
      </Section>
      <Section title="Table">
        <Tables />
      </Section>
      <Section title="Numbers and progress">
        <Numbers />
      </Section>
      <Section title="Messages">
        <Messages />
      </Section>
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="grid min-w-0 gap-5">
      <h2 className="border-b border-line pb-2 text-lg">{title}</h2>
      {children}
    </section>
  )
}

function Row({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap items-center gap-3">{children}</div>
}

const backgrounds = [
  ['canvas', 'bg-canvas'],
  ['surface', 'bg-surface'],
  ['raised', 'bg-raised'],
  ['sunken', 'bg-sunken'],
  ['accent', 'bg-accent'],
  ['accent-soft', 'bg-accent-soft'],
  ['accent-line', 'bg-accent-line'],
  ['ink', 'bg-ink'],
]

function TextAndColors() {
  return (
    <>
      <div className="grid gap-3">
        <p className="text-4xl font-strong">Automate your outreach</p>
        <p className="text-2xl font-strong">1,284 leads matched</p>
        <p className="text-base">Prose is 16 px, with a limited line length so that several lines are easy to read.</p>
        <p>App text is 14 px.</p>
        <p className="text-muted">Muted text explains.</p>
        <p className="text-faint">Faint text is for placeholders.</p>
        <p>
          <a href="#content" className="text-link">
            Accent text
          </a>{' '}
          is for links.
        </p>
      </div>
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4 lg:grid-cols-8">
        {backgrounds.map(([name, className]) => (
          <li key={name} className="grid gap-1.5 text-xs text-muted">
            <span className={`h-12 rounded-lg border border-line ${className}`} />
            {name}
          </li>
        ))}
      </ul>
    </>
  )
}

const variants: ButtonVariant[] = ['primary', 'secondary', 'ghost', 'danger']

function Buttons() {
  return (
    <div className="grid gap-4">
      {variants.map((variant) => (
        <Row key={variant}>
          <Button variant={variant} icon={<Plus aria-hidden />}>
            Create list
          </Button>
          <Button variant={variant} size="sm">
            Small
          </Button>
          <Button variant={variant} size="lg">
            Large
          </Button>
          <Button variant={variant} loading>
            Saving…
          </Button>
          <Button variant={variant} disabled>
            Disabled
          </Button>
          <IconButton label={`Edit (${variant})`} variant={variant}>
            <Pencil aria-hidden />
          </IconButton>
        </Row>
      ))}
      <Row>
        <ButtonLink to="/ui" variant="primary">
          A link
        </ButtonLink>
        <CopyButton text="https://x-automated.example/?ref=K7Q2PD" label="Copy link" />
        <Tooltip text="Icon only: the tooltip says what it does">
          <IconButton label="Send now" variant="secondary">
            <Send aria-hidden />
          </IconButton>
        </Tooltip>
      </Row>
    </div>
  )
}

const people = [
  'Ada Lovelace',
  'Grace Hopper',
  'Alan Kay',
  'Barbara Liskov',
  'Edsger Dijkstra',
  'Katherine Johnson',
].map((name) => ({
  value: name.toLowerCase().replace(' ', '-'),
  label: name,
  detail: `@${name.split(' ')[0]?.toLowerCase()}`,
}))

function Fields() {
  const [list, setList] = useState('')
  const [person, setPerson] = useState<string | null>('grace-hopper')
  const [keywords, setKeywords] = useState(['founder', 'saas'])
  const [none, setNone] = useState<string[]>([])
  return (
    <div className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
      <Field label="Name" hint="Shown wherever this list appears.">
        <Input placeholder="Founders in Berlin" />
      </Field>
      <Field label="Email" error="Invalid email format" required>
        <Input type="email" defaultValue="ada@" />
      </Field>
      <Field label="Handle" aside="Without the @">
        <Input leading="@" placeholder="mayabuilds" />
      </Field>
      <Field label="Password">
        <PasswordInput defaultValue="correct horse" autoComplete="off" />
      </Field>
      <Field label="Disabled">
        <Input defaultValue="Nothing to change here" disabled />
      </Field>
      <Field label="Amount">
        <Input inputMode="numeric" defaultValue="1,000" trailing={<span className="text-muted">leads</span>} />
      </Field>
      <Field label="Lead list">
        <Select
          value={list}
          onChange={(event) => setList(event.currentTarget.value)}
          placeholder="Choose a list"
          options={[
            { value: 'a', label: 'Founders in Berlin' },
            { value: 'b', label: 'Designers' },
            { value: 'c', label: 'Empty list', disabled: true },
          ]}
        />
      </Field>
      <Field label="Person">
        <Combobox options={people} value={person} onChange={setPerson} placeholder="Find someone" />
      </Field>
      <Field label="Select with an error" error="Choose a list first.">
        <Select value="" onChange={() => {}} placeholder="Choose a list" options={[]} />
      </Field>
      <Field label="Message" hint="Variables such as {lead_name} are filled for each lead." className="sm:col-span-2">
        <Textarea defaultValue={'Hi {lead_name},\n\nI read what you wrote about pricing and had a thought.'} />
      </Field>
      <Field label="Message with an error" error="Unknown variable: {first_nmae}.">
        <Textarea defaultValue="Hi {first_nmae}" />
      </Field>
      <Field label="Bio keywords">
        <ChipsInput values={keywords} onChange={setKeywords} noun="keyword" placeholder="Add a keyword" />
      </Field>
      <Field label="No keywords">
        <ChipsInput
          values={none}
          onChange={setNone}
          noun="keyword"
          placeholder="Add a keyword"
          empty="No keywords added. Will match all profiles."
        />
      </Field>
    </div>
  )
}

function Choices() {
  const [on, setOn] = useState(true)
  const [pace, setPace] = useState<string | null>('steady')
  const [followers, setFollowers] = useState(10_000)
  const [cycle, setCycle] = useState('monthly')
  const [count, setCount] = useState<number | null>(1_000)
  return (
    <div className="grid gap-8 sm:grid-cols-2 lg:grid-cols-4">
      <div className="grid content-start gap-3">
        <Checkbox label="Unchecked" />
        <Checkbox label="Checked" defaultChecked hint="With a second line." />
        <Checkbox label="Some selected" indeterminate />
        <Checkbox label="Disabled" disabled />
        <Checkbox label="Disabled, checked" disabled defaultChecked />
      </div>
      <div className="grid content-start gap-3">
        <Switch label="Warm up new accounts" checked={on} onChange={(event) => setOn(event.currentTarget.checked)} />
        <Switch label="Off" />
        <Switch label="Disabled" disabled />
      </div>
      <RadioGroup
        label="Pace"
        value={pace}
        onChange={setPace}
        options={[
          { value: 'steady', label: 'Steady', hint: 'One a minute.' },
          { value: 'slow', label: 'Slow' },
          { value: 'never', label: 'Not offered', disabled: true },
        ]}
      />
      <div className="grid content-start gap-4">
        <Segments
          label="Billing cycle"
          value={cycle}
          onChange={setCycle}
          options={[
            { value: 'monthly', label: 'Monthly' },
            {
              value: 'yearly',
              label: (
                <>
                  Yearly <Badge tone="accent">Save 50%</Badge>
                </>
              ),
            },
          ]}
        />
        <Slider label="Max followers" value={followers} onChange={setFollowers} min={0} max={1_000_000} step={1000} />
        <Field label="Daily cap">
          <NumberInput value={count} onChange={setCount} />
        </Field>
        <Slider label="Disabled" value={30} onChange={() => {}} min={0} max={100} disabled />
      </div>
    </div>
  )
}

const tones: Tone[] = ['neutral', 'accent', 'info', 'good', 'warn', 'bad']

function Statuses() {
  return (
    <div className="grid gap-4">
      <Row>
        {Object.keys(statusLooks).map((status) => (
          <StatusBadge key={status} status={status} />
        ))}
        <StatusBadge status="unheard_of" />
      </Row>
      <Row>
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </Row>
      <Row>
        <Avatar name="ada@lovelace.example" size="sm" />
        <Avatar name="Grace Hopper" letters={2} />
        <Avatar name="Broken" src="/no-such-picture.png" />
        <Avatar name="Large" size="lg" />
      </Row>
    </div>
  )
}

function Overlays() {
  const [open, setOpen] = useState<'dialog' | 'sheet' | null>(null)
  const confirm = useConfirm()
  const ask = async () => {
    const yes = await confirm({
      title: 'Delete this list?',
      body: 'Are you sure you want to delete this list? This will also remove all associated leads.',
      confirm: 'Delete list',
      danger: true,
    })
    toast.info(yes ? 'You said yes.' : 'You said no.')
  }
  return (
    <Row>
      <Button onClick={() => setOpen('dialog')}>Dialog</Button>
      <Button onClick={() => setOpen('sheet')}>Sheet</Button>
      <Button onClick={ask}>Confirm</Button>
      <Menu trigger={<Button>Menu</Button>} align="start">
        <MenuNote>ada@lovelace.example</MenuNote>
        <MenuSeparator />
        <MenuLink to="/ui">A link</MenuLink>
        <MenuItem icon={<Pencil aria-hidden />} onSelect={() => toast.info('Renaming')}>
          Rename
        </MenuItem>
        <MenuItem disabled onSelect={() => {}}>
          Not now
        </MenuItem>
        <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={ask}>
          Delete
        </MenuItem>
      </Menu>
      <Button onClick={() => toast.success('12 leads added to the list successfully!')}>Success toast</Button>
      <Button onClick={() => toast.error('Failed to create list. Please try again.')}>Error toast</Button>
      <Button onClick={() => toast.info('Campaign form cleared.')}>Info toast</Button>
      <Dialog
        open={open === 'dialog'}
        onClose={() => setOpen(null)}
        title="Create a list"
        description="Lists group the leads that get the same message."
        footer={
          <>
            <Button onClick={() => setOpen(null)}>Cancel</Button>
            <Button variant="primary" onClick={() => setOpen(null)}>
              Create List
            </Button>
          </>
        }
      >
        <div className="grid gap-4">
          <Field label="Name" required>
            <Input />
          </Field>
          <Field label="Description" hint="Only visible to you.">
            <Textarea />
          </Field>
        </div>
      </Dialog>
      <Sheet open={open === 'sheet'} onClose={() => setOpen(null)} title="Maya Okafor" description="@mayabuilds">
        <SkeletonText lines={6} />
      </Sheet>
    </Row>
  )
}

function TabsExample() {
  const [tab, setTab] = useTabParam(['connect', 'scraper', 'messenger'])
  return (
    <Tabs
      label="X Automation"
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'connect', label: 'Connect X', content: <p>The open tab is kept in the URL.</p> },
        { value: 'scraper', label: 'X Scraper', content: <p>It stays open after a reload.</p> },
        { value: 'messenger', label: 'X Messenger', content: <p>The Back button reopens the previous one.</p> },
      ]}
    />
  )
}

const leads = [
  {
    name: 'Maya Okafor',
    handle: '@mayabuilds',
    followers: 12_480,
    status: 'replied',
    bio: 'Building tools for small teams',
  },
  { name: 'Jonas Lindqvist', handle: '@jonaslq', followers: 3201, status: 'sent', bio: 'Founder, runner, dad of two' },
  {
    name: 'Priya Raman',
    handle: '@priyaships',
    followers: 88_102,
    status: 'failed',
    bio: 'Shipping every week since 2019',
  },
  { name: 'مريم الحداد', handle: '@maryam_h', followers: 640, status: 'queued', bio: 'مصممة منتجات' },
]

function Tables() {
  const [picked, setPicked] = useState<string[]>(['@jonaslq'])
  const [page, setPage] = useState(5)
  const toggle = (handle: string) =>
    setPicked(picked.includes(handle) ? picked.filter((other) => other !== handle) : [...picked, handle])
  const rows = leads.map((lead) => (
    <Tr key={lead.handle} selected={picked.includes(lead.handle)}>
      <Td corner className="md:pe-0">
        <Checkbox
          aria-label={`Select ${lead.name}`}
          checked={picked.includes(lead.handle)}
          onChange={() => toggle(lead.handle)}
        />
      </Td>
      <Td>
        <span className="flex items-center gap-3">
          <Avatar name={lead.name} size="sm" />
          <span className="grid">
            <bdi className="font-strong">{lead.name}</bdi>
            <span className="text-muted">{lead.handle}</span>
          </span>
        </span>
      </Td>
      <Td label="Bio" className="text-muted">
        <bdi>{lead.bio}</bdi>
      </Td>
      <Td label="Followers" end>
        {formatNumber(lead.followers)}
      </Td>
      <Td label="Status">
        <StatusBadge status={lead.status} />
      </Td>
    </Tr>
  ))
  const head = (
    <thead>
      <tr>
        <Th className="md:w-px md:pe-0">
          <Checkbox aria-label="Select all" indeterminate />
        </Th>
        <Th>Lead</Th>
        <Th>Bio</Th>
        <Th end>Followers</Th>
        <Th>Status</Th>
      </tr>
    </thead>
  )
  return (
    <div className="grid min-w-0 gap-8">
      <div>
        <Table label="Leads">
          {head}
          <tbody>{rows}</tbody>
        </Table>
        <Pager
          page={page}
          pageSize={10}
          query={{ data: { total: 1284 }, isFetching: false }}
          onChange={setPage}
          noun="leads"
        />
      </div>
      <Table label="Leads, scrolling when narrow" narrow="scroll" maxHeight="14rem">
        {head}
        <tbody>{rows}</tbody>
      </Table>
      <Table label="Leads, loading">
        <thead>
          <tr>
            <Th>Lead</Th>
            <Th>Bio</Th>
            <Th end>Followers</Th>
          </tr>
        </thead>
        <tbody>
          <SkeletonRows rows={3} columns={3} />
        </tbody>
      </Table>
    </div>
  )
}

function Numbers() {
  return (
    <div className="grid gap-6">
      <dl className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        <StatCard label="Total leads" value={12_480} icon={<Users aria-hidden />} />
        <StatCard label="Messages sent" value={327} hint="+12 today" />
        <StatCard label="Reply rate" value={null} hint="Not measured yet" />
        <StatCard label="Replies" value={undefined} />
      </dl>
      <div className="grid gap-6 sm:grid-cols-2">
        <Progress
          label="Scraping followers of @paulg"
          value={340}
          max={1000}
          detail="340 of 1,000 · about 2 min left"
        />
        <Progress label="Waiting for X" value={null} detail="Resumes at 14:05" />
      </div>
      <Card
        title="A card"
        description="A part of a page with its own heading."
        actions={<Button size="sm">Action</Button>}
      >
        <div className="grid max-w-sm gap-3">
          <Skeleton className="h-4 w-40" />
          <SkeletonText />
          <SkeletonLine />
          <SkeletonField />
          <SkeletonButton />
        </div>
      </Card>
    </div>
  )
}

function Messages() {
  return (
    <div className="grid gap-4">
      <Callout>Campaigns send one message a minute.</Callout>
      <Callout tone="good" title="Email confirmed">
        You can log in now.
      </Callout>
      <Callout tone="warn" title="Paused automatically" action={<Button size="sm">Resume</Button>}>
        X asked us to slow down. Sending resumes at 14:05.
      </Callout>
      <Callout tone="bad" action={<Button size="sm">Try Again</Button>}>
        Failed to fetch lists. Please try again.
      </Callout>
      <EmptyState
        icon={<Inbox aria-hidden />}
        title="No lists found. Create your first list to get started!"
        action={<Button variant="primary">Create List</Button>}
      >
        Lists group the leads that get the same message.
      </EmptyState>
    </div>
  )
}
